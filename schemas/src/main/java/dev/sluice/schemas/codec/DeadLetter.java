package dev.sluice.schemas.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * A packet or message that could not be classified, with its reason. What its message quotes of the
 * input is cut, so that every dead letter is some KB at most.
 *
 * @param reason text of a {@link DeadLetterReason}, which a number may follow
 * @param detail more for a person
 * @param packet the packet, or null for a message
 * @param message the message, or null for a packet
 */
public record DeadLetter(
        String reason, String detail, @Nullable Packet packet, @Nullable Message message) {
    private static final Schema SCHEMA = MessageSchemas.current("DeadLetter");
    private static final int MAX_PAYLOAD = 256;
    private static final int MAX_REASON = 256;
    private static final int MAX_DETAIL = 1024;
    private static final int MAX_CAPTURE = TextLimit.BYTES;

    /** Place of a packet. {@code timeNs} may be {@link Column#NO_TIME}. */
    public record Packet(String capture, int captureIndex, long number, long timeNs) {}

    /** Place of a message, and its first bytes. */
    public record Message(String topic, int partition, long offset, byte[] payload) {}

    /** The dead letter of what was refused. */
    public DeadLetter(MalformedMessageException why, @Nullable Message message) {
        this(why.reason(), why.detail(), null, message);
    }

    /** The Kafka message of this dead letter. */
    public byte[] encode() {
        GenericRecord r = new GenericData.Record(SCHEMA);
        r.put("reason", TextLimit.cut(reason, MAX_REASON));
        r.put("detail", TextLimit.cut(detail, MAX_DETAIL));
        r.put("captureIndex", packet == null ? 0 : packet.captureIndex);
        if (packet != null) {
            r.put("capture", TextLimit.cut(packet.capture, MAX_CAPTURE));
            r.put("packet", packet.number);
            r.put("timeNs", packet.timeNs == Column.NO_TIME ? null : packet.timeNs);
        }
        if (message != null) {
            r.put("topic", message.topic);
            r.put("partition", message.partition);
            r.put("offset", message.offset);
            int length = Math.min(MAX_PAYLOAD, message.payload.length);
            r.put("payload", ByteBuffer.wrap(Arrays.copyOf(message.payload, length)));
        }
        return MessageCodec.encode(r);
    }

    /** The dead letter in a message of the dead-letter topic. */
    public static DeadLetter decode(byte[] bytes) throws MalformedMessageException {
        return of(MessageCodec.decode(bytes, "DeadLetter"));
    }

    /** The dead letter in a decoded message. */
    static DeadLetter of(GenericRecord r) {
        Object capture = r.get("capture");
        Object topic = r.get("topic");
        Packet packet = null;
        Message message = null;
        if (capture != null && r.get("packet") instanceof Long number) {
            Object time = r.get("timeNs");
            packet =
                    new Packet(
                            capture.toString(),
                            (Integer) r.get("captureIndex"),
                            number,
                            time == null ? Column.NO_TIME : (Long) time);
        }
        if (topic != null
                && r.get("partition") instanceof Integer partition
                && r.get("offset") instanceof Long offset) {
            boolean told = r.get("payload") instanceof ByteBuffer;
            byte[] payload = told ? MessageCodec.bytes((ByteBuffer) r.get("payload")) : new byte[0];
            message = new Message(topic.toString(), partition, offset, payload);
        }
        return new DeadLetter(
                r.get("reason").toString(), r.get("detail").toString(), packet, message);
    }
}
