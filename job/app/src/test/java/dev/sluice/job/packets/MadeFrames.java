package dev.sluice.job.packets;

import dev.sluice.job.kafka.FrameKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Raw frames and Kafka messages of them, for tests. */
final class MadeFrames {
    /** Bytes of {@link #tcp}: Ethernet, IPv4 and TCP headers. */
    static final int TCP_BYTES = 14 + 20 + 20;

    private MadeFrames() {}

    /** A TCP segment without data, to a port, from an address. */
    static byte[] tcp(int source, int destinationPort) {
        ByteBuffer frame = ByteBuffer.allocate(TCP_BYTES);
        frame.put(new byte[] {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}).putShort((short) 0x0800);
        frame.put((byte) 0x45).put((byte) 0).putShort((short) 40).putInt(0);
        frame.put((byte) 64).put((byte) 6).putShort((short) 0);
        frame.putInt(source).putInt(0xc0a80001);
        frame.putShort((short) 40_000).putShort((short) destinationPort);
        frame.putLong(0).put((byte) 0x50).put((byte) 2).putShort((short) 512).putInt(0);
        return frame.array();
    }

    /** A frame whose IPv4 header says that it is shorter than any may be. */
    static byte[] malformed() {
        byte[] frame = tcp(1, 1);
        frame[14] = 0x42;
        return frame;
    }

    /** A Kafka message of a frame that was captured at a time. */
    static ConsumerRecord<byte[], ByteBuffer> message(int partition, long offset, byte[] frame) {
        return message(partition, offset, FrameKey.of(1_000_000_000L + offset * 1_000), frame);
    }

    /**
     * A Kafka message, with 1,234 ms as its timestamp; its value lies among others, as in what was
     * fetched.
     */
    static ConsumerRecord<byte[], ByteBuffer> message(
            int partition, long offset, byte[] key, byte[] value) {
        return withValue(partition, offset, key, value == null ? null : amongOthers(value));
    }

    /** Bytes between some that are not theirs. */
    static ByteBuffer amongOthers(byte[] value) {
        byte[] among = new byte[value.length + 8];
        Arrays.fill(among, (byte) 0x5a);
        System.arraycopy(value, 0, among, 5, value.length);
        return ByteBuffer.wrap(among, 3, value.length + 4)
                .slice()
                .position(2)
                .limit(2 + value.length);
    }

    /** The bytes of a message's value. */
    static byte[] value(ConsumerRecord<byte[], ByteBuffer> message) {
        return PacketReading.value(message);
    }

    /** A Kafka message, with 1,234 ms as its timestamp. */
    static <T> ConsumerRecord<byte[], T> withValue(
            int partition, long offset, byte[] key, T value) {
        return new ConsumerRecord<>(
                "packets",
                partition,
                offset,
                1_234,
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                ConsumerRecord.NULL_SIZE,
                key,
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
