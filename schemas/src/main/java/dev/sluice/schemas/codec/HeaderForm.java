package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.FieldText;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Layout of a PacketHeader in one writer's schema: the slots of its fields, in the order in which
 * they lie in a message. There is one for each released schema, made when this class is loaded;
 * {@link PacketHeaderReader} follows it.
 *
 * <p>As with {@link BlockForm}: fields that a writer lacks are absent, which is the default of
 * those that need not be there; fields that we lack are passed over; a writer's int may stand for a
 * long of ours. A field may be a union with null in either order. Immutable.
 */
final class HeaderForm {
    /** A field that we do not know. */
    static final int OTHER = -1;

    static final int CAPTURE = 0;
    static final int CAPTURE_INDEX = 1;
    static final int PACKET = 2;
    static final int TIME_NS = 3;

    /** Slot of the first {@link PacketField}; the others follow. */
    static final int FIRST_FIELD = 4;

    private static final List<String> PLACE =
            List.of("capture", "captureIndex", "packet", "timeNs");
    private static final List<Schema.Type> PLACE_TYPES =
            List.of(Schema.Type.STRING, Schema.Type.INT, Schema.Type.LONG, Schema.Type.LONG);

    /**
     * A field.
     *
     * @param slot one of the numbers here, or {@link #FIRST_FIELD} and the field's ordinal
     * @param nullAt which choice of its union is null; -1: it is no union
     * @param type of its value; of numbers that of the writer
     * @param schema its own
     */
    record Piece(int slot, int nullAt, Schema.Type type, Schema schema) {}

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

    /** The form of a writer's schema, of all fields. */
    static HeaderForm of(Schema writer) {
        return of(writer, PacketField.values());
    }

    /**
     * The form of a writer's schema.
     *
     * @throws IllegalArgumentException if a field that we need is missing, or has a type that does
     *     not become ours
     */
    static HeaderForm of(Schema writer, List<PacketField> fields) {
        for (int slot : new int[] {CAPTURE, PACKET}) {
            if (writer.getField(PLACE.get(slot)) == null) {
                throw new IllegalArgumentException(
                        "%s has no field '%s'".formatted(writer.getFullName(), PLACE.get(slot)));
            }
        }
        List<Piece> pieces = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            pieces.add(piece(writer, field, fields));
        }
        return new HeaderForm(pieces);
    }

    private static Piece piece(Schema writer, Schema.Field field, List<PacketField> fields) {
        int slot = PLACE.indexOf(field.name());
        Schema.Type wanted = slot == OTHER ? Schema.Type.NULL : PLACE_TYPES.get(slot);
        for (PacketField known : fields) {
            if (known.key().equals(field.name())) {
                slot = FIRST_FIELD + known.ordinal();
                wanted = type(known);
            }
        }
        Schema schema = field.schema();
        if (slot == OTHER) {
            return new Piece(slot, -1, wanted, schema);
        }
        Schema value = schema;
        int nullAt = -1;
        if (schema.getType() == Schema.Type.UNION && schema.getTypes().size() == 2) {
            nullAt = schema.getTypes().get(0).getType() == Schema.Type.NULL ? 0 : 1;
            value = schema.getTypes().get(1 - nullAt);
        }
        boolean asInt = value.getType() == Schema.Type.INT;
        if (value.getType() != wanted && !(asInt && wanted == Schema.Type.LONG)) {
            throw new IllegalArgumentException(
                    "%s: field '%s' cannot be read from a %s: teach PacketHeaderReader how"
                            .formatted(writer.getFullName(), field.name(), schema));
        }
        return new Piece(slot, nullAt, value.getType(), value);
    }

    /** The type of a field's values in messages. */
    static Schema.Type type(PacketField field) {
        if (field.text() == FieldText.ADDRESS) {
            return Schema.Type.BYTES;
        }
        return field.rows().get(0).bits() > 32 ? Schema.Type.LONG : Schema.Type.INT;
    }
}
