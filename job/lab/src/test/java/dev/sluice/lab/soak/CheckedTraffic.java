package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Packets, garbage and rules that change, for a job under the default names of topics, and a check
 * of what it says of them. They go on until {@link #stop}; what came is taken by whoever waits.
 */
final class CheckedTraffic implements AutoCloseable {
    private static final TopicNames NAMES = TopicNames.defaults();
    private static final long SEED = TestSeed.of(5);
    private static final long RATE = 5_000;
    private static final int VERSIONS = 3;

    private final SoakRules rules;
    private final SoakLoad load;
    private final SoakCheck check;
    private final TopicReader reader;
    private long single;

    /**
     * Begins; the topics must be there.
     *
     * @param log takes what publishers of rules print
     */
    CheckedTraffic(String bootstrap, Path log) throws InterruptedException {
        rules = new SoakRules(bootstrap, NAMES.rules(), SEED, VERSIONS, log);
        check = new SoakCheck(rules::of);
        load = new SoakLoad(bootstrap, NAMES.packets(), RATE);
        reader =
                new TopicReader(
                        new KafkaClients(bootstrap),
                        List.of(NAMES.verdicts(), NAMES.deadLetters()));
    }

    private void poll() throws Exception {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(50))) {
            byte[] value = message.value();
            if (message.topic().equals(NAMES.deadLetters())) {
                check.take(DeadLetter.decode(value));
            } else if (VerdictBlock.isIn(value)) {
                VerdictBlock block = VerdictBlock.decode(value);
                rules.await(block.versionOf(block.count() - 1));
                check.take(block);
            } else {
                Verdict verdict = Verdict.decode(value);
                rules.await(verdict.version());
                long block = (verdict.packet() - 1) / NumberedPackets.BLOCK;
                check.take(
                        NumberedPackets.shard(block),
                        verdict.packet(),
                        verdict.version(),
                        verdict.ruleId());
                single++;
            }
        }
    }

    /** Takes what is committed until something is so; fails if something is wrong in it. */
    void await(BooleanSupplier reached) throws Exception {
        while (!reached.getAsBoolean()) {
            assertFalse(Thread.interrupted(), "it does not come");
            load.check();
            rules.check();
            poll();
            assertEquals(List.of(), check.misses());
        }
    }

    /** Waits until packets that were sent behind now are judged. */
    void awaitVerdicts() throws Exception {
        long sent = load.packets();
        await(() -> check.newest() > sent);
    }

    /** Verdicts that came one a message. */
    long single() {
        return single;
    }

    /** Sends no more, and waits until all that was sent is answered. */
    void stop() throws Exception {
        rules.stop();
        load.stop();
        await(() -> check.isComplete(load.packets(), load.garbage()));
    }

    /** Takes the last of what a job has said that has ended: each packet has one right verdict. */
    void end() throws Exception {
        var ends = reader.ends();
        await(() -> reader.reached(ends));
        check.end(load.packets(), load.garbage());
        assertEquals(List.of(), check.misses());
    }

    @Override
    public void close() {
        load.close();
        rules.close();
        reader.close();
    }
}
