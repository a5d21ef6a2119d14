package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How one writer's schema lays out a block: what each of its fields is to us, in the order in which
 * they lie in a message. There is one for each released schema of PacketBlock, PlacedBlock and
 * VerdictBlock, made when this class is loaded; {@link BlockReader} follows it.
 *
 * <p>Fields of ours that a writer lacks are as Avro's schema resolution gives them, by their
 * defaults; fields that we lack are passed over; a writer's int may stand for a long of ours.
 * Immutable.
 */
final class BlockForm {
    /** The part that a field of a block, or of one of its columns, plays here. */
    enum Part {
        CAPTURE("capture", Schema.Type.STRING),
        CAPTURE_INDEX("captureIndex", Schema.Type.INT),
        SHARD("shard", Schema.Type.INT),
        SHARDS("shards", Schema.Type.INT),
        VERSION("version", Schema.Type.LONG),
        HISTORY("history", Schema.Type.STRING),
        COUNT("count", Schema.Type.INT),
        RULES("rules", Schema.Type.ARRAY),
        ACTIONS("actions", Schema.Type.ARRAY),
        COLUMNS("columns", Schema.Type.ARRAY),
        TOPIC("topic", Schema.Type.STRING),
        PARTITION("partition", Schema.Type.INT),
        OFFSET("offset", Schema.Type.LONG),
        FIRST("first", Schema.Type.INT),
        FIRST_PACKET("firstPacket", Schema.Type.LONG),
        FIRST_TIME("firstTimeNs", Schema.Type.LONG),
        COLUMN_ID("id", Schema.Type.INT),
        COLUMN_BASE("base", Schema.Type.LONG),
        COLUMN_WIDTH("width", Schema.Type.INT),
        COLUMN_DATA("data", Schema.Type.BYTES),
        /** A field that we do not know. */
        OTHER("", Schema.Type.NULL);

        private final String field;
        private final Schema.Type type;

        Part(String field, Schema.Type type) {
            this.field = field;
            this.type = type;
        }
    }

    /**
     * A field.
     *
     * @param part what it is to us
     * @param asInt whether a number is written as an int
     * @param schema its own
     */
    record Piece(Part part, boolean asInt, Schema schema) {}

    private static final List<Part> PACKETS =
            List.of(Part.CAPTURE, Part.CAPTURE_INDEX, Part.SHARD, Part.SHARDS, Part.COUNT);
    private static final List<Part> VERDICTS =
            List.of(
                    Part.CAPTURE,
                    Part.CAPTURE_INDEX,
                    Part.SHARD,
                    Part.VERSION,
                    Part.COUNT,
                    Part.RULES);
    private static final List<Part> PLACE = List.of(Part.TOPIC, Part.PARTITION, Part.OFFSET);
    private static final List<Part> OPTIONAL =
            List.of(
                    Part.HISTORY,
                    Part.ACTIONS,
                    Part.TOPIC,
                    Part.PARTITION,
                    Part.OFFSET,
                    Part.FIRST,
                    Part.FIRST_PACKET,
                    Part.FIRST_TIME);
    private static final List<Part> COLUMN =
            List.of(Part.COLUMN_ID, Part.COLUMN_BASE, Part.COLUMN_WIDTH, Part.COLUMN_DATA);

    private static final BlockForm[] FORMS;
    private static final long[] FINGERPRINTS;

    static {
        List<Schema> released = new ArrayList<>();
        for (String name : List.of("PacketBlock", "PlacedBlock", "VerdictBlock")) {
            released.add(MessageSchemas.current(name));
            released.addAll(MessageSchemas.history(name));
        }
        FORMS = released.stream().map(BlockForm::of).toArray(BlockForm[]::new);
        FINGERPRINTS = released.stream().mapToLong(MessageSchemas::fingerprint).toArray();
    }

    /** True if the block is a PacketBlock or a PlacedBlock; else it is a VerdictBlock. */
    final boolean ofPackets;

    /** True if the block is a PlacedBlock. */
    final boolean placed;

    /** The fields of the block. */
    final Piece[] block;

    /** The fields of a column. */
    final Piece[] column;

    private BlockForm(boolean ofPackets, boolean placed, Piece[] block, Piece[] column) {
        this.ofPackets = ofPackets;
        this.placed = placed;
        this.block = block;
        this.column = column;
    }

    /** The form of a message's writer; null if it is no block of a released schema. */
    static @Nullable BlockForm of(byte[] message) {
        return of(message, 0, message.length);
    }

    /** The same of a message of {@code length} bytes that lies among others. */
    static @Nullable BlockForm of(byte[] among, int from, int length) {
        if (!MessageCodec.isSingleObject(among, from, length)) {
            return null;
        }
        long fingerprint = MessageCodec.fingerprint(among, from);
        for (int i = 0; i < FINGERPRINTS.length; i++) {
            if (FINGERPRINTS[i] == fingerprint) {
                return FORMS[i];
            }
        }
        return null;
    }

    /**
     * The form of a writer's schema.
     *
     * @throws IllegalArgumentException if a field that we need is missing, or has a type that does
     *     not become ours
     */
    static BlockForm of(Schema writer) {
        boolean placed = writer.getName().equals("PlacedBlock");
        boolean ofPackets = placed || writer.getName().equals("PacketBlock");
        List<Part> needed = new ArrayList<>(ofPackets ? PACKETS : VERDICTS);
        needed.add(Part.COLUMNS);
        if (placed) {
            needed.addAll(PLACE);
        }
        Piece[] block = pieces(writer, needed, ofPackets ? List.of() : OPTIONAL);
        Schema columns = writer.getField("columns").schema();
        Piece[] column = pieces(columns.getElementType(), COLUMN, List.of());
        return new BlockForm(ofPackets, placed, block, column);
    }

    private static Piece[] pieces(Schema writer, List<Part> needed, List<Part> optional) {
        List<Part> known = new ArrayList<>(needed);
        known.addAll(optional);
        List<Piece> pieces = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            Part part = Part.OTHER;
            for (Part candidate : known) {
                part = candidate.field.equals(field.name()) ? candidate : part;
            }
            pieces.add(piece(writer, part, field.schema()));
        }
        for (Part part : needed) {
            if (pieces.stream().noneMatch(piece -> piece.part() == part)) {
                throw new IllegalArgumentException(
                        "%s has no field '%s'".formatted(writer.getFullName(), part.field));
            }
        }
        return pieces.toArray(Piece[]::new);
    }

    private static Piece piece(Schema writer, Part part, Schema schema) {
        Schema.Type type = schema.getType();
        Schema number = part == Part.RULES ? schema.getElementType() : schema;
        boolean asInt = number.getType() == Schema.Type.INT;
        boolean fits =
                switch (part) {
                    case OTHER -> true;
                    case RULES -> asInt || number.getType() == Schema.Type.LONG;
                    case ACTIONS -> schema.getElementType().getType() == Schema.Type.STRING;
                    case COLUMNS -> schema.getElementType().getType() == Schema.Type.RECORD;
                    default -> type == part.type || asInt && part.type == Schema.Type.LONG;
                };
        if (!fits) {
            throw new IllegalArgumentException(
                    "%s: field '%s' cannot be read from a %s: teach BlockReader how"
                            .formatted(writer.getFullName(), part.field, schema));
        }
        return new Piece(part, asInt, schema);
    }
}
