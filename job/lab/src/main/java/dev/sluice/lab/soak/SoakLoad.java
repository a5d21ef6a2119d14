package dev.sluice.lab.soak;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.lab.kit.Workers;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends blocks at a rate, and among them messages that are none, in a thread of its own. While the
 * broker is away they wait in the producer, which sends each once.
 */
final class SoakLoad implements AutoCloseable {
    private static final int GARBAGE_EVERY = 500;
    private static final long MOST_PAUSE_NANOS = 5_000_000;

    /** A broker that is killed may need long to answer again where other work shares its cores. */
    private static final Duration LONGEST_AWAY = Duration.ofMinutes(10);

    private final MessageProducer producer;
    private final String topic;
    private final long nanosPerBlock;
    private final Workers workers = new Workers("packets cannot be sent");
    private volatile long blocks;
    private volatile long garbage;

    /**
     * A load that begins at once.
     *
     * @param rate packets a second
     */
    SoakLoad(String bootstrap, String topic, long rate) {
        this.topic = topic;
        this.nanosPerBlock = Math.max(1, NumberedPackets.BLOCK * 1_000_000_000L / rate);
        producer = MessageProducer.patient(new KafkaClients(bootstrap), LONGEST_AWAY);
        workers.start("soak load", this::run);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // this thread alone writes them
    private void run() {
        long due = System.nanoTime();
        while (!workers.stopped()) {
            long early = due - System.nanoTime();
            if (early > 0) {
                LockSupport.parkNanos(Math.min(early, MOST_PAUSE_NANOS));
                continue;
            }
            long block = blocks;
            producer.send(
                    topic,
                    PacketExporter.key(NumberedPackets.shard(block)),
                    NumberedPackets.block(block).encode());
            if (block % GARBAGE_EVERY == 0) {
                producer.send(topic, null, NumberedPackets.garbage(garbage));
                garbage++;
            }
            blocks = block + 1;
            due += nanosPerBlock;
        }
        producer.flush();
    }

    /** Packets that were sent: also the number of the last. */
    long packets() {
        return blocks * NumberedPackets.BLOCK;
    }

    /** Messages that are no blocks, numbered from 0 on. */
    long garbage() {
        return garbage;
    }

    /** Fails if not everything could be sent. */
    void check() {
        workers.check();
    }

    /** Sends no more, and waits until all that was sent is stored. */
    void stop() throws InterruptedException {
        workers.stop();
    }

    @Override
    public void close() {
        workers.close();
        producer.close();
    }
}
