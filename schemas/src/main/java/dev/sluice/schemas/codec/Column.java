package dev.sluice.schemas.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * One column of a block, frame of reference: value i is {@code base} plus the i-th unsigned
 * little-endian number of {@code width} bytes, modulo 2^64. Width 0: all values are {@code base}.
 *
 * <p>Immutable by agreement: nobody writes into {@code data} after construction.
 *
 * @param id a {@link dev.sluice.schemas.header.HeaderWord}, or one of the constants here
 * @param base smallest value
 * @param width bytes a value: 0, 1, 2, 4 or 8
 * @param data count times width bytes
 */
public record Column(int id, long base, int width, byte[] data) {
    /** Packet number in its capture, from 1. */
    public static final int PACKET = 64;

    /** Time in ns since 1970 UTC, {@link #NO_TIME} where unknown. */
    public static final int TIME_NS = 65;

    /** Frame length on the wire in bytes. */
    public static final int FRAME_LENGTH = 66;

    /** Verdicts: index into the rules of the block, from 1; 0 is a miss. */
    public static final int RULE = 67;

    /** Verdicts: version of the rule set; absent where all are the block's. */
    public static final int VERSION = 68;

    /** Verdicts: {@link VerdictStatus#code}; absent where all are ok. */
    public static final int STATUS = 69;

    /** Time of a packet whose capture states none. */
    public static final long NO_TIME = Long.MIN_VALUE;

    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Encodes 32-bit words, taken as unsigned. */
    public static Column ofWords(int id, int[] values, int from, int count) {
        int min = -1;
        int max = 0;
        for (int i = from; i < from + count; i++) {
            min = Integer.compareUnsigned(values[i], min) < 0 ? values[i] : min;
            max = Integer.compareUnsigned(values[i], max) > 0 ? values[i] : max;
        }
        int span = max - min;
        int width = span == 0 ? 0 : span >>> 8 == 0 ? 1 : span >>> 16 == 0 ? 2 : 4;
        byte[] data = new byte[width * count];
        for (int i = 0; i < count && width > 0; i++) {
            int value = values[from + i] - min;
            switch (width) {
                case 1 -> data[i] = (byte) value;
                case 2 -> SHORTS.set(data, 2 * i, (short) value);
                default -> INTS.set(data, 4 * i, value);
            }
        }
        return new Column(id, min & 0xffffffffL, width, data);
    }

    /** Encodes 64-bit numbers. */
    public static Column ofLongs(int id, long[] values, int from, int count) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = from; i < from + count; i++) {
            min = Math.min(min, values[i]);
            max = Math.max(max, values[i]);
        }
        long span = max - min;
        int width =
                span == 0
                        ? 0
                        : span >>> 8 == 0 ? 1 : span >>> 16 == 0 ? 2 : span >>> 32 == 0 ? 4 : 8;
        byte[] data = new byte[width * count];
        for (int i = 0; i < count && width > 0; i++) {
            long value = values[from + i] - min;
            switch (width) {
                case 1 -> data[i] = (byte) value;
                case 2 -> SHORTS.set(data, 2 * i, (short) value);
                case 4 -> INTS.set(data, 4 * i, (int) value);
                default -> LONGS.set(data, 8 * i, value);
            }
        }
        return new Column(id, min, width, data);
    }

    /** One value. */
    public long get(int i) {
        return base
                + switch (width) {
                    case 0 -> 0;
                    case 1 -> data[i] & 0xffL;
                    case 2 -> (short) SHORTS.get(data, 2 * i) & 0xffffL;
                    case 4 -> (int) INTS.get(data, 4 * i) & 0xffffffffL;
                    default -> (long) LONGS.get(data, 8 * i);
                };
    }

    /** Writes values {@code from} to {@code from + count - 1}, cut to 32 bits, into an array. */
    public void copyWords(int from, int count, int[] target, int at) {
        int b = (int) base;
        byte[] d = data;
        switch (width) {
            case 0 -> Arrays.fill(target, at, at + count, b);
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (d[from + i] & 0xff);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((short) SHORTS.get(d, 2 * (from + i)) & 0xffff);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (int) INTS.get(d, 4 * (from + i));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (int) (long) LONGS.get(d, 8 * (from + i));
                }
            }
        }
    }

    /** Writes values {@code from} to {@code from + count - 1} into an array. */
    public void copyLongs(int from, int count, long[] target, int at) {
        long b = base;
        byte[] d = data;
        switch (width) {
            case 0 -> Arrays.fill(target, at, at + count, b);
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (d[from + i] & 0xff);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((short) SHORTS.get(d, 2 * (from + i)) & 0xffff);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + ((int) INTS.get(d, 4 * (from + i)) & 0xffffffffL);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = b + (long) LONGS.get(d, 8 * (from + i));
                }
            }
        }
    }

    /**
     * The column of some of the values.
     *
     * @param from the first of them
     * @param count how many, at least 1
     */
    public Column slice(int from, int count) {
        if (data.length == width * count) {
            return this; // all of them, or all are the same
        }
        long[] values = new long[count];
        copyLongs(from, count, values, 0);
        return ofLongs(id, values, 0, count);
    }

    static GenericData.Array<GenericRecord> toRecords(Schema arraySchema, List<Column> columns) {
        Schema element = arraySchema.getElementType();
        GenericData.Array<GenericRecord> records =
                new GenericData.Array<>(columns.size(), arraySchema);
        for (Column column : columns) {
            GenericRecord record = new GenericData.Record(element);
            record.put("id", column.id);
            record.put("base", column.base);
            record.put("width", column.width);
            record.put("data", ByteBuffer.wrap(column.data));
            records.add(record);
        }
        return records;
    }

    /**
     * The columns of a decoded block, checked: known width, right length, no id twice.
     *
     * @param records its field {@code columns}
     * @param count values of each column
     */
    public static List<Column> fromRecords(Object records, int count)
            throws MalformedMessageException {
        List<Column> columns = new ArrayList<>();
        for (Object item : (Iterable<?>) records) {
            GenericRecord record = (GenericRecord) item;
            int id = (Integer) record.get("id");
            int width = (Integer) record.get("width");
            ByteBuffer data = (ByteBuffer) record.get("data");
            boolean widthKnown = width >= 0 && width <= 8 && width != 3 && (width & width - 1) == 0;
            if (!widthKnown || data.remaining() != (long) width * count) {
                throw new MalformedMessageException(
                        "block: column length",
                        "column %d has width %d and %d bytes for %d values"
                                .formatted(id, width, data.remaining(), count));
            }
            for (Column other : columns) {
                if (other.id == id) {
                    throw new MalformedMessageException("block: column twice", "column " + id);
                }
            }
            byte[] bytes = data.array();
            if (data.arrayOffset() != 0 || bytes.length != data.remaining()) {
                bytes = new byte[data.remaining()];
                data.get(bytes);
            }
            columns.add(new Column(id, (Long) record.get("base"), width, bytes));
        }
        return columns;
    }
}
