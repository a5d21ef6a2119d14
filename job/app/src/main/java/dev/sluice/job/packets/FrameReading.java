package dev.sluice.job.packets;

import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.FrameKey;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.header.Field;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reader of raw Ethernet frames.
 *
 * <p>Frames bring neither a capture's name nor a packet's number. Their place in Kafka replaces
 * both: {@code TOPIC/PARTITION}, the partition as index, and the offset plus one, so that numbers
 * start at 1 as those of captures do.
 *
 * <p>The time is that of the {@link FrameKey}, or the message's timestamp where the key is none.
 * The bytes count as the whole frame, since the message does not show what an exporter has cut off.
 */
final class FrameReading implements PacketReading {
    private static final long NANOS_A_MILLI = 1_000_000;

    private final PacketParser parser;
    private final Consumer<Tunnel> shut;
    private final ParsedPacket packet = new ParsedPacket();
    private String topic = "";
    private int partition = -1;
    private String capture = "";

    /**
     * Creates a reader.
     *
     * @param parsing which header of a packet is classified
     * @param shut receives the tunnel of a packet that is not decapsulated
     */
    FrameReading(ParserOptions parsing, Consumer<Tunnel> shut) {
        parser = new PacketParser(parsing);
        this.shut = shut;
    }

    @Override
    public void read(ConsumerRecord<byte[], ByteBuffer> message, Target target) {
        byte[] frame = PacketReading.value(message);
        parser.parseEthernet(frame, packet);
        String name = capture(message);
        long number = message.offset() + 1;
        long timeNs = timeNs(message);
        if (packet.status().isClassified()) {
            Tunnel tunnel = packet.shut();
            if (tunnel != null) {
                shut.accept(tunnel);
            }
            Field.FRAME_LENGTH.put(packet.words(), frame.length);
            target.header(name, partition, packet.words(), number, timeNs);
            return;
        }
        target.dead(
                new DeadLetter(
                        packet.status().label(),
                        frame.length + " bytes of an Ethernet frame",
                        new DeadLetter.Packet(name, partition, number, timeNs),
                        ShardedMessage.where(message, frame)));
    }

    private String capture(ConsumerRecord<?, ?> message) {
        if (message.partition() != partition || !message.topic().equals(topic)) {
            topic = message.topic();
            partition = message.partition();
            capture = topic + "/" + partition;
        }
        return capture;
    }

    private static long timeNs(ConsumerRecord<byte[], ?> message) {
        long timeNs = FrameKey.timeNs(message.key());
        if (timeNs != Column.NO_TIME) {
            return timeNs;
        }
        long millis = message.timestamp();
        return millis < 0 || millis > Long.MAX_VALUE / NANOS_A_MILLI
                ? Column.NO_TIME
                : millis * NANOS_A_MILLI;
    }
}
