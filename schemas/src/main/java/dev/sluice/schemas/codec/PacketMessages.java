package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the packets topic: blocks, and single headers, which become blocks of one. Within a
 * job a block may say where it lies ({@link #placed}).
 */
public final class PacketMessages {
    private static final MessageKind BLOCK = MessageKind.of("PacketBlock");
    private static final MessageKind PLACED = MessageKind.of("PlacedBlock");
    private static final MessageKind HEADER = MessageKind.of("PacketHeader");
    private static final Schema HEADER_SCHEMA = MessageSchemas.current("PacketHeader");

    private PacketMessages() {}

    /**
     * The block in a message of the packets topic, or of {@link #placed}. The columns of a
     * PacketBlock are parts of the message, which must not change.
     *
     * <p>All is checked, whoever checked it before: the work is by field and column, not by header,
     * so that nobody has to trust that bytes are still those that were looked at.
     *
     * @param shards flow shards to spread single headers over
     * @throws MalformedMessageException if the message is neither a PacketBlock nor a PacketHeader,
     *     or contradicts itself
     */
    public static PacketBlock decode(byte[] message, int shards) throws MalformedMessageException {
        return decode(message, shards, MessageSchemas::byFingerprint);
    }

    /**
     * As {@link #decode(byte[], int)}, with other writers' schemas than the released ones.
     *
     * @param released the schema with a fingerprint, or null where there is none
     */
    static PacketBlock decode(byte[] message, int shards, LongFunction<@Nullable Schema> released)
            throws MalformedMessageException {
        boolean placed = PLACED.isIn(message, 0, message.length, released);
        if (placed || BLOCK.isIn(message, 0, message.length, released)) {
            byte[] present = (placed ? PLACED : BLOCK).present(message, released);
            return new BlockReader().packets(present, placed);
        }
        if (!HEADER.isIn(message, 0, message.length, released)) {
            throw refusal(message);
        }
        PacketHeaderReader reader = new PacketHeaderReader();
        reader.readPresent(HEADER.present(message, released));
        return reader.block(shards);
    }

    /**
     * A PacketBlock's message as a job hands it on: a PlacedBlock, which says where the block lies.
     *
     * @param block a message that {@link PacketGlance} let pass, in an array
     * @param place of the whole block
     * @return the message's parts, one behind the other, each in an array; the block's fields stay
     *     where they are
     */
    public static List<ByteBuffer> placed(ByteBuffer block, PacketPlace place) {
        byte[] among = block.array();
        int from = block.arrayOffset() + block.position();
        ByteBuffer current = block;
        if (MessageCodec.fingerprint(among, from) != BLOCK.fingerprint()) {
            current =
                    ByteBuffer.wrap(
                            anew(Arrays.copyOfRange(among, from, from + block.remaining())));
        }
        ByteBuffer fields =
                current.slice(
                        current.position() + MessageCodec.HEADER_BYTES,
                        current.remaining() - MessageCodec.HEADER_BYTES);
        byte[] around = around(place);
        int behind = around.length - MessageCodec.HEADER_BYTES;
        return List.of(
                ByteBuffer.wrap(around, 0, MessageCodec.HEADER_BYTES),
                fields,
                ByteBuffer.wrap(around, MessageCodec.HEADER_BYTES, behind));
    }

    /** A PlacedBlock without the block's fields, which belong behind its head. */
    private static byte[] around(PacketPlace place) {
        return WireWriter.message(
                PLACED.fingerprint(),
                out -> {
                    out.text(place.topic());
                    out.number(place.partition());
                    out.number(place.offset());
                });
    }

    /** The message of a block under the current schema, whose fields a PlacedBlock begins with. */
    private static byte[] anew(byte[] block) {
        try {
            return BLOCK.present(block, MessageSchemas::byFingerprint);
        } catch (MalformedMessageException e) {
            throw new IllegalArgumentException("a message that cannot be read was let pass", e);
        }
    }

    /** Why a message is refused that says to be neither a PacketBlock nor a PacketHeader. */
    public static MalformedMessageException refusal(byte[] message) {
        try {
            String name = MessageCodec.decode(message).getSchema().getName();
            return new MalformedMessageException(
                    DeadLetterReason.WRONG_SCHEMA, "a " + name + " in the packets topic");
        } catch (MalformedMessageException e) {
            return e;
        }
    }

    /**
     * The message of a single header.
     *
     * @param frameLength length on the wire in bytes; 0: unknown
     * @param words {@link HeaderWord#COUNT} words, which take the length
     */
    public static byte[] encodeHeader(
            String capture, int index, long packet, long timeNs, int frameLength, int[] words) {
        if (frameLength != 0) {
            Field.FRAME_LENGTH.put(words, frameLength);
        }
        return encodeHeader(
                HEADER_SCHEMA, PacketField.values(), capture, index, packet, timeNs, words);
    }

    static byte[] encodeHeader(
            Schema schema,
            List<PacketField> fields,
            String capture,
            int captureIndex,
            long packet,
            long timeNs,
            int[] words) {
        GenericRecord r = new GenericData.Record(schema);
        r.put("capture", capture);
        r.put("captureIndex", captureIndex);
        r.put("packet", packet);
        r.put("timeNs", timeNs == Column.NO_TIME ? null : timeNs);
        for (PacketField field : fields) {
            r.put(field.key(), field.value(words));
        }
        return MessageCodec.encode(r);
    }
}
