package dev.sluice.job.endtoend;

import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends blocks of packets that are numbered from 1 on, over all flow shards in turn. Thread-safe.
 */
final class PacketStream {
    /** Packets of a block. */
    static final int COUNT = 250;

    /** Flow shards, unless others are asked for. */
    static final int SHARDS = 64;

    private final MessageProducer producer;
    private final String topic;
    private final int shards;
    private int blocks;
    private int sent;

    PacketStream(MessageProducer producer, String topic) {
        this(producer, topic, SHARDS);
    }

    PacketStream(MessageProducer producer, String topic, int shards) {
        this.producer = producer;
        this.topic = topic;
        this.shards = shards;
    }

    /** Sends so many blocks. */
    synchronized void send(int howMany) {
        for (int b = 0; b < howMany; b++) {
            int shard = blocks++ % shards;
            PacketBlock block = block(shard, shards, sent + 1L, COUNT);
            producer.send(topic, PacketExporter.key(shard), block.encode());
            sent += COUNT;
        }
    }

    /** Sends a block every few milliseconds, in a thread of its own, until that is closed. */
    Load load() {
        return new Load();
    }

    /** A thread that sends blocks. */
    final class Load implements AutoCloseable {
        private static final long PAUSE_NANOS = 3_000_000;

        private final AtomicBoolean over = new AtomicBoolean();
        private final Thread thread = new Thread(this::send, "load");

        private Load() {
            thread.start();
        }

        private void send() {
            while (!over.get()) {
                PacketStream.this.send(1);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            producer.flush();
        }

        @Override
        public void close() throws InterruptedException {
            over.set(true);
            thread.join();
        }
    }

    /** Packets sent: also the number of the last. */
    synchronized int sent() {
        return sent;
    }

    /** The header of a packet: TCP over IPv4, to a port that follows from its number. */
    static int[] header(long packet) {
        int[] header = new int[HeaderWord.COUNT];
        header[HeaderWord.ETHER] = Field.ETH_TYPE.place(0x0800);
        header[HeaderWord.IP] =
                Field.IP_VERSION.place(Field.VERSION_4)
                        | Field.IP_PROTO.place(6)
                        | Field.PORTS_PRESENT.place(1);
        header[HeaderWord.PORTS] = (int) (packet % 60_000);
        return header;
    }

    /** A block of packets that are numbered in a row. */
    static PacketBlock block(int shard, long first, int count) {
        return block(shard, SHARDS, first, count);
    }

    private static PacketBlock block(int shard, int shards, long first, int count) {
        BlockBuilder block = new BlockBuilder(shard, shards, count);
        for (long packet = first; packet < first + count; packet++) {
            block.add(header(packet), packet, Column.NO_TIME, 0);
        }
        return block.take("made", 0);
    }
}
