package dev.sluice.job.packets;

import dev.sluice.job.capture.Datagrams;
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
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reader of raw Ethernet frames.
 *
 * <p>Frames bring neither a capture's name nor a packet's number. Their place in Kafka replaces
 * both: {@code TOPIC/PARTITION}, the partition as index, and the offset plus one, so that numbers
 * start at 1 as those of captures do.
 *
 * <p>A later fragment gets the ports of its datagram if the first fragment is among the last {@link
 * #HORIZON} messages of the partition. So a reader that starts at an offset needs the messages
 * {@link #before} it, and answers as one that has read all.
 *
 * <p>The time is that of the {@link FrameKey}, or the message's timestamp where the key is none.
 * The bytes count as the whole frame, since the message does not show what an exporter has cut off.
 */
final class FrameReading implements PacketReading {
    /** Number of messages over which fragments of a datagram are followed. */
    static final long HORIZON = 16_384;

    private static final long NANOS_A_MILLI = 1_000_000;

    private final PacketParser parser;
    private final FrameCounts counts;
    private final Map<Integer, Datagrams> tables = new HashMap<>();
    private Datagrams datagrams = new Datagrams(HORIZON);
    private final ParsedPacket packet = new ParsedPacket();
    private String topic = "";
    private int partition = -1;
    private String capture = "";

    /**
     * Creates a reader.
     *
     * @param parsing which header of a packet is classified
     * @param counts receives packets that are counted apart
     */
    FrameReading(ParserOptions parsing, FrameCounts counts) {
        parser = new PacketParser(parsing);
        this.counts = counts;
    }

    @Override
    public void read(ConsumerRecord<byte[], ByteBuffer> message, Target target) {
        byte[] frame = PacketReading.value(message);
        String name = capture(message);
        long number = message.offset() + 1;
        long timeNs = timeNs(message);
        if (!parse(frame, timeNs, message.offset())) {
            counts.lone();
        }
        if (packet.status().isClassified()) {
            Tunnel tunnel = packet.shut();
            if (tunnel != null) {
                counts.shut(tunnel);
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

    @Override
    public void before(ConsumerRecord<byte[], ByteBuffer> message) {
        capture(message);
        parse(PacketReading.value(message), timeNs(message), message.offset());
    }

    /** Parses a frame; returns false for a later fragment without its first one. */
    private boolean parse(byte[] frame, long timeNs, long offset) {
        parser.parseEthernet(frame, packet);
        return packet.follow(datagrams, timeNs, offset);
    }

    private String capture(ConsumerRecord<?, ?> message) {
        if (message.partition() != partition || !message.topic().equals(topic)) {
            topic = message.topic();
            partition = message.partition();
            capture = topic + "/" + partition;
            datagrams = tables.computeIfAbsent(partition, of -> new Datagrams(HORIZON));
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
