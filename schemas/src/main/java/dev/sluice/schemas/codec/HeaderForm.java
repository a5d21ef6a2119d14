package dev.sluice.schemas.codec;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How one writer's schema lays out a PacketHeader: what each of its fields is to us, in the order
 * in which they lie in a message. There is one for each released schema, made when this class is
 * loaded; {@link PacketHeaderReader} follows it.
 *
 * <p>As with {@link BlockForm}: fields that a writer lacks are absent, which is the default of
 * those that need not be there; fields that we lack are passed over; a writer's int may stand for a
 * long of ours. A field may be a union with null in either order. Immutable.
 */
final class HeaderForm {
    /** The part that a field of a header plays here. */
    enum Part {
        CAPTURE("capture", Schema.Type.STRING),
        CAPTURE_INDEX("captureIndex", Schema.Type.INT),
        PACKET("packet", Schema.Type.LONG),
        TIME_NS("timeNs", Schema.Type.LONG),
        FRAME_LENGTH("frameLength", Schema.Type.INT),
        IN_PORT("inPort", Schema.Type.INT),
        ETH_SRC("ethSrc", Schema.Type.LONG),
        ETH_DST("ethDst", Schema.Type.LONG),
        ETH_TYPE("ethType", Schema.Type.INT),
        VLAN("vlan", Schema.Type.RECORD),
        VLAN_ID("id", Schema.Type.INT),
        VLAN_PRIORITY("priority", Schema.Type.INT),
        IP_SRC("ipSrc", Schema.Type.BYTES),
        IP_DST("ipDst", Schema.Type.BYTES),
        IP_PROTO("ipProto", Schema.Type.INT),
        TOS("tos", Schema.Type.INT),
        FRAGMENT("fragment", Schema.Type.INT),
        SRC_PORT("srcPort", Schema.Type.INT),
        DST_PORT("dstPort", Schema.Type.INT),
        TCP_FLAGS("tcpFlags", Schema.Type.INT),
        SPI("spi", Schema.Type.INT),
        TUNNEL_ID("tunnelId", Schema.Type.INT),
        /** A field that we do not know. */
        OTHER("", Schema.Type.NULL);

        /** Number of parts. */
        static final int COUNT = values().length;

        private final String field;
        private final Schema.Type type;

        Part(String field, Schema.Type type) {
            this.field = field;
            this.type = type;
        }

        /** The name that messages give the field. */
        String field() {
            return field;
        }

        /** The bit of a part in a set of parts. */
        int bit() {
            return 1 << ordinal();
        }
    }

    /**
     * A field.
     *
     * @param part what it is to us
     * @param nullAt which choice of its union is null; -1: it is no union
     * @param asInt whether a number is written as an int
     * @param schema its own
     * @param inner the fields of the record that it is; else none
     */
    record Piece(Part part, int nullAt, boolean asInt, Schema schema, List<Piece> inner) {}

    private static final Set<Part> VLAN_PARTS = EnumSet.of(Part.VLAN_ID, Part.VLAN_PRIORITY);
    private static final Set<Part> HEADER_PARTS =
            EnumSet.complementOf(EnumSet.of(Part.VLAN_ID, Part.VLAN_PRIORITY, Part.OTHER));

    private static final HeaderForm[] FORMS;
    private static final long[] FINGERPRINTS;

    static {
        List<Schema> released = new ArrayList<>();
        released.add(MessageSchemas.current("PacketHeader"));
        released.addAll(MessageSchemas.history("PacketHeader"));
        FORMS = released.stream().map(HeaderForm::of).toArray(HeaderForm[]::new);
        FINGERPRINTS = released.stream().mapToLong(MessageSchemas::fingerprint).toArray();
    }

    /** The fields of the header. */
    final Piece[] pieces;

    private HeaderForm(List<Piece> pieces) {
        this.pieces = pieces.toArray(Piece[]::new);
    }

    /** The form of a message's writer; null if it is no header of a released schema. */
    static @Nullable HeaderForm of(byte[] message) {
        if (!MessageCodec.isSingleObject(message)) {
            return null;
        }
        long fingerprint = MessageCodec.fingerprint(message);
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
    static HeaderForm of(Schema writer) {
        for (Part part : EnumSet.of(Part.CAPTURE, Part.PACKET)) {
            if (writer.getField(part.field) == null) {
                throw new IllegalArgumentException(
                        "%s has no field '%s'".formatted(writer.getFullName(), part.field));
            }
        }
        return new HeaderForm(pieces(writer, HEADER_PARTS));
    }

    private static List<Piece> pieces(Schema writer, Set<Part> known) {
        List<Piece> pieces = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            Part part = Part.OTHER;
            for (Part candidate : known) {
                part = candidate.field.equals(field.name()) ? candidate : part;
            }
            pieces.add(piece(writer, part, field.schema()));
        }
        return pieces;
    }

    private static Piece piece(Schema writer, Part part, Schema schema) {
        if (part == Part.OTHER) {
            return new Piece(part, -1, false, schema, List.of());
        }
        Schema value = schema;
        int nullAt = -1;
        if (schema.getType() == Schema.Type.UNION && schema.getTypes().size() == 2) {
            nullAt = schema.getTypes().get(0).getType() == Schema.Type.NULL ? 0 : 1;
            value = schema.getTypes().get(1 - nullAt);
        }
        boolean asInt = value.getType() == Schema.Type.INT;
        if (value.getType() != part.type && !(asInt && part.type == Schema.Type.LONG)) {
            throw new IllegalArgumentException(
                    "%s: field '%s' cannot be read from a %s: teach PacketHeaderReader how"
                            .formatted(writer.getFullName(), part.field, schema));
        }
        List<Piece> inner = part == Part.VLAN ? pieces(value, VLAN_PARTS) : List.of();
        return new Piece(part, nullAt, asInt, value, inner);
    }
}
