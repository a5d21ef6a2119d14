package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** Draws blocks of every form, and messages of them in every form that Avro allows. */
public final class RandomBlocks {
    private static final int[] WIDTHS = {0, 1, 2, 4, 8};

    /** Ids that no writer of ours gives: of a later one, or made up. */
    private static final List<Integer> ODD_IDS =
            List.of(
                    HeaderWord.COUNT,
                    63,
                    70,
                    127,
                    128,
                    -1,
                    1 << 20,
                    Integer.MIN_VALUE,
                    Integer.MAX_VALUE);

    private final Random random;

    public RandomBlocks(Random random) {
        this.random = random;
    }

    public PacketBlock packets() {
        int count = count();
        List<Integer> ids = new ArrayList<>(ODD_IDS);
        IntStream.range(0, HeaderWord.COUNT).forEach(ids::add);
        ids.add(Column.TIME_NS);
        Collections.shuffle(ids, random);
        List<Column> columns = new ArrayList<>();
        for (int id : ids.subList(0, random.nextInt(25))) {
            columns.add(column(id, count));
        }
        if (random.nextInt(10) > 0) { // up to 25 columns, and sometimes not the one that must be
            columns.add(random.nextInt(columns.size() + 1), column(Column.PACKET, count));
        }
        int shards = 1 + random.nextInt(random.nextBoolean() ? 8 : Integer.MAX_VALUE);
        return new PacketBlock(text(), number(), random.nextInt(shards), shards, count, columns);
    }

    /** A block that says where it lies. */
    PacketBlock placed() {
        PacketBlock block = packets();
        return new PacketBlock(
                block.capture(),
                block.captureIndex(),
                block.shard(),
                block.shards(),
                block.count(),
                block.columns(),
                new PacketPlace(
                        "t" + text(),
                        random.nextInt() >>> 1 >>> random.nextInt(31),
                        random.nextLong() >>> 1 >>> random.nextInt(63)));
    }

    VerdictBlock verdicts() {
        int count = count();
        long[] rules = random.longs(random.nextInt(5) == 0 ? 300 : random.nextInt(5)).toArray();
        List<String> actions = new ArrayList<>();
        if (random.nextBoolean()) {
            for (int i = 0; i <= rules.length; i++) {
                actions.add(text());
            }
        }
        int[] indexes = indexes(count, rules.length);
        List<Column> fields = new ArrayList<>();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            if (random.nextInt(3) == 0) {
                fields.add(column(w, count));
            }
        }
        List<Column> earlier = new ArrayList<>();
        for (int stage = random.nextInt(4); stage > 0; stage--) {
            int[] passed = indexes(count, rules.length);
            earlier.add(Column.ofWords(Column.EARLIER + stage, passed, 0, count));
        }
        fields.addAll(earlier);
        boolean named = random.nextInt(3) == 0;
        return VerdictBlocks.of(
                text(),
                number(),
                number(),
                random.nextLong() >> random.nextInt(64),
                text(),
                count,
                rules,
                actions,
                named ? null : passed(Column.PACKET, count),
                named || random.nextBoolean() ? null : passed(Column.TIME_NS, count),
                Column.ofWords(Column.RULE, indexes, 0, count),
                random.nextBoolean() ? null : column(Column.VERSION, count),
                random.nextBoolean() ? null : column(Column.STATUS, count),
                named ? earlier : fields,
                random.nextInt(3) > 0 ? null : answers(rules.length),
                random.nextBoolean(),
                named
                        ? new PacketPlace(
                                "packets" + text(),
                                random.nextInt(9),
                                random.nextLong() >>> 1 >>> random.nextInt(63),
                                random.nextInt(1000))
                        : null);
    }

    private PolicyAnswers answers(int rules) {
        PolicyAnswers answers = new PolicyAnswers().begin(text());
        for (int i = 0; i <= rules; i++) {
            answers.add(VerdictOutcome.at(random.nextInt(VerdictOutcome.count())), number());
        }
        return answers;
    }

    /** A column that may travel as differences: of numbers that grow evenly, or of any. */
    private Column passed(int id, int count) {
        if (random.nextBoolean()) {
            return column(id, count);
        }
        long step = random.nextLong() >> random.nextInt(64);
        int jitter = 1 + random.nextInt(random.nextBoolean() ? 3 : 3000);
        long[] values = new long[count];
        long value = random.nextLong();
        for (int i = 0; i < count; i++) {
            values[i] = value;
            value += step + random.nextInt(jitter);
        }
        return Column.ofLongs(id, values, 0, count);
    }

    int[] indexes(int count, int rules) {
        int most = random.nextBoolean() ? rules : Math.min(rules, 1);
        return random.ints(count, 0, most + 1).toArray();
    }

    private int count() {
        return random.nextInt(20) == 0 ? 4096 : 1 + random.nextInt(40);
    }

    private int number() {
        return random.nextInt() >> random.nextInt(32);
    }

    private Column column(int id, int count) {
        int width = WIDTHS[random.nextInt(WIDTHS.length)];
        byte[] bytes = new byte[width * count + 6];
        random.nextBytes(bytes);
        int offset = random.nextInt(7); // as columns of a message begin anywhere
        long base = random.nextLong() >> random.nextInt(64);
        return new Column(id, base, width, bytes, offset, width * count);
    }

    /** Names of every alphabet, and such as are no text. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(3) == 0 ? 200 : random.nextInt(9); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
                case 1 -> text.append((char) (0xd800 + random.nextInt(0x800))); // half a pair
                case 2 -> text.append((char) random.nextInt(0x10000));
                case 3 -> text.append((char) random.nextInt(0x800));
                default -> text.append((char) random.nextInt(0x80));
            }
        }
        return text.toString();
    }

    /** A message whose arrays are in several parts, some of which state their size. */
    byte[] inParts(GenericRecord record) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(
                ByteBuffer.allocate(10)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putShort((short) 0x01c3)
                        .putLong(MessageSchemas.fingerprint(record.getSchema()))
                        .array());
        append(new InParts(record.getSchema()), record, out);
        return out.toByteArray();
    }

    private static <T> void append(GenericDatumWriter<T> writer, T datum, ByteArrayOutputStream out)
            throws IOException {
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        writer.write(datum, encoder);
        encoder.flush();
    }

    private final class InParts extends GenericDatumWriter<GenericRecord> {
        InParts(Schema schema) {
            super(schema);
        }

        @Override
        protected void writeArray(Schema schema, Object datum, Encoder out) throws IOException {
            List<?> items = (List<?>) datum;
            Iterator<?> rest = items.iterator();
            for (int left = items.size(); left > 0; ) {
                int part = 1 + random.nextInt(left);
                left -= part;
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int i = 0; i < part; i++) {
                    append(
                            new GenericDatumWriter<Object>(schema.getElementType()),
                            rest.next(),
                            bytes);
                }
                boolean sized = random.nextBoolean();
                out.writeLong(sized ? -part : part);
                if (sized) {
                    out.writeLong(bytes.size());
                }
                out.writeFixed(bytes.toByteArray());
            }
            out.writeLong(0);
        }
    }
}
