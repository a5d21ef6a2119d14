package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.RuleText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job with little memory, driven at its limits for a minute and more: nothing of it grows, it
 * never fails, and in the end each packet has one verdict and each message that is none one dead
 * letter.
 */
@Tag("long")
@Timeout(900)
class MemoryBoundsITCase {
    private static final int HEAP_MEBIBYTES = 512;

    /** After which caches are full, code is compiled and buffers are taken. */
    private static final long WARM_SECONDS = 20;

    /** After which as much waits in a job that is held back as may. */
    private static final long HELD_BACK_SECONDS = 60;

    /** After which the log of the rules has been long and was made shorter. */
    private static final long FLOOD_WARM_SECONDS = 60;

    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Blocks for each message that is none. */
    private static final int GARBAGE_EVERY = 500;

    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

    private static final int TENFOLD = 10;

    /** Rules of a flood that are there at a time. */
    private static final int FLOOD_RULES = 1_000;

    /** Versions of a flood that are one transaction of Kafka's. */
    private static final int FLOOD_AT_ONCE = 200;

    private static final MeasuredJob.Plan USUAL = new MeasuredJob.Plan("tuple", 8192, 2000);
    private static final List<Rule> RULES = List.of(rule("priority=5,tcp,actions=drop"));

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    /** Topics, a job, what is sent to it and what it has answered. */
    private final class Driven implements AutoCloseable {
        final Topics topics;
        final MessageProducer producer;
        final PacketStream packets;
        final PacketCount verdicts;
        private @Nullable MeasuredJob job;
        final MemoryOverTime memory = new MemoryOverTime();
        int garbage;
        int blocks;
        long heldBackMillis;

        Driven(String bootstrap, String name, int partitions, int shards, List<Rule> rules) {
            topics = Topics.of(bootstrap, name);
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap))) {
                access.createTopics(KafkaAccess.newTopics(topics.names(), partitions));
            }
            publish(rules);
            producer = new MessageProducer(new KafkaClients(bootstrap));
            packets = new PacketStream(producer, topics.names().packets(), shards);
            verdicts = new PacketCount(bootstrap, topics.names().verdicts());
        }

        void start(MeasuredJob.Plan plan) throws Exception {
            job = new MeasuredJob(topics, plan, HEAP_MEBIBYTES, folder);
        }

        private MeasuredJob job() {
            return Objects.requireNonNull(job, "the job is not started");
        }

        void publish(List<Rule> rules) {
            topics.publish("bounds", rules);
        }

        void send(long howMany) {
            for (long i = 0; i < howMany; i++) {
                packets.send(1);
                if (++blocks % GARBAGE_EVERY == 0) {
                    producer.send(topics.names().packets(), null, new byte[] {1, 2, 3});
                    garbage++;
                }
            }
        }

        /** Feeds the job for a time, and takes samples of its memory when it is warm. */
        void drive(long seconds, Feed feed) throws Exception {
            drive(WARM_SECONDS, seconds, feed);
        }

        void drive(long warmSeconds, long seconds, Feed feed) throws Exception {
            long start = System.nanoTime();
            long nextSample = start + TimeUnit.SECONDS.toNanos(warmSeconds);
            long end = start + TimeUnit.SECONDS.toNanos(warmSeconds + seconds);
            for (long now = start; now < end; now = System.nanoTime()) {
                feed.send();
                look();
                if (now >= nextSample) {
                    memory.add(job().memory());
                    heldBackMillis = Math.max(heldBackMillis, job().heldBackMillis());
                    nextSample += SAMPLE_NANOS;
                }
            }
        }

        /** Waits for all verdicts, and holds them and the dead letters against what was sent. */
        void end(String what) throws Exception {
            endAnswered();
            memory.requireFlat(what + ", held back " + heldBackMillis + " ms/s at most");
        }

        /** As {@link #end}, of memory that fills up and is emptied again. */
        void endOfWaves(String what) throws Exception {
            endAnswered();
            memory.requireNoHigher(what + ", held back " + heldBackMillis + " ms/s at most");
        }

        private void endAnswered() throws Exception {
            producer.flush();
            while (verdicts.answered() < packets.sent()) {
                look();
            }
            verdicts.pollToEnd();
            assertEquals(packets.sent(), verdicts.answered(), "packets with a verdict");
            assertEquals(0, verdicts.doubled(), "packets with two");
            awaitDeadLetters();
        }

        /** Polls once, while the job runs. */
        void look() throws Exception {
            verdicts.poll();
            job().requireRunning();
        }

        private void awaitDeadLetters() throws Exception {
            long letters = 0;
            try (TopicReader reader =
                    new TopicReader(
                            new KafkaClients(topics.bootstrap()),
                            List.of(topics.names().deadLetters()))) {
                while (letters < garbage) {
                    letters += reader.poll(Duration.ofMillis(20)).count();
                    job().requireRunning();
                }
                var ends = reader.ends();
                while (!reader.reached(ends)) {
                    letters += reader.poll(Duration.ofMillis(20)).count();
                }
            }
            assertEquals(garbage, letters, "dead letters");
        }

        @Override
        public void close() throws Exception {
            if (job != null) {
                job.close();
            }
            verdicts.close();
            producer.close();
        }
    }

    /** Sends what is due. */
    private interface Feed {
        void send() throws Exception;
    }

    /** A batch of 64 headers: some thousand a second, each of which could wait for an hour. */
    @Test
    void anHoursDelayWith64PartitionsAnd256Shards() throws Exception {
        MeasuredJob.Plan plan = new MeasuredJob.Plan("tuple", 64, HOUR_MICROS);
        try (Driven run = new Driven(broker.bootstrap(), "delay", 64, 256, RULES)) {
            run.start(plan);
            run.drive(60, () -> sendWhile(run, 2_000_000));
            run.end("--max-delay of an hour, %,d packets".formatted(run.packets.sent()));
        }
    }

    /** Sends while not too much waits for a verdict. */
    private static void sendWhile(Driven run, int waiting) {
        if (run.packets.sent() - run.verdicts.answered() < waiting) {
            run.send(200);
        }
    }

    /** Longer than Kafka's producer waits by its defaults, which are a minute and two. */
    @Test
    void aBrokerThatStandsStillForMoreThanThreeMinutes() throws Exception {
        try (SluiceProcess own = SluiceProcess.broker(folder);
                Driven run = new Driven(own.address(), "still", 2, 64, RULES)) {
            run.send(100_000);
            run.producer.flush();
            run.start(USUAL);
            while (run.verdicts.answered() == 0) {
                run.look();
            }
            own.suspend();
            try {
                run.drive(180, () -> {});
            } finally {
                own.goOn();
            }
            assertTrue(run.verdicts.answered() < run.packets.sent(), "all was judged before");
            run.end("a broker that stands still, %,d packets".formatted(run.packets.sent()));
        }
    }

    /** A job that hands over each header alone. */
    @Test
    void tenTimesTheInputThatItTakes() throws Exception {
        MeasuredJob.Plan plan = new MeasuredJob.Plan("tuple", 1, 2000);
        try (Driven run = new Driven(broker.bootstrap(), "tenfold", 2, 64, RULES)) {
            run.start(plan);
            run.drive(HELD_BACK_SECONDS, 30, () -> sendTenfold(run));
            long sent = run.packets.sent();
            long answered = run.verdicts.answered();
            assertTrue(answered > 0 && sent >= TENFOLD * answered, answered + " of " + sent);
            assertTrue(run.heldBackMillis > 100, run.heldBackMillis + " ms/s held back");
            run.end("%,d packets of which %,d were judged meanwhile".formatted(sent, answered));
        }
    }

    @Test
    void aFloodOfRules() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService publisher = Executors.newSingleThreadExecutor();
        try (Driven run = new Driven(broker.bootstrap(), "flood", 2, 64, RULES)) {
            run.start(USUAL);
            Future<Long> flood = publisher.submit(() -> publishUntil(over, run.topics));
            run.drive(FLOOD_WARM_SECONDS, 150, () -> sendWhile(run, 200_000));
            over.set(true);
            long newest = flood.get();
            while (run.verdicts.newestVersion() < newest) {
                sendWhile(run, 200_000);
                run.look();
            }
            run.endOfWaves("%,d versions of the rules".formatted(newest));
        } finally {
            over.set(true);
            publisher.shutdown();
        }
    }

    /** Sends until there are ten packets for each verdict that there is. */
    private static void sendTenfold(Driven run) throws Exception {
        run.verdicts.pollToEnd();
        while (run.packets.sent() < TENFOLD * (long) run.verdicts.answered() + 2_000_000) {
            run.send(200);
        }
    }

    private static Rule rule(String text) {
        return RuleText.parse(text);
    }

    /** Publishes versions, hundreds at a time, as quickly as Kafka takes them; the newest. */
    private static long publishUntil(AtomicBoolean over, Topics topics) {
        try (RulePublisher publisher =
                new RulePublisher(
                        new KafkaClients(topics.bootstrap()),
                        RulePublisher.Options.of(topics.names().rules()),
                        (done, total) -> {})) {
            RuleStanding before = publisher.takeOver();
            RuleContent content = new RuleContent(before.rules().rules());
            Deque<Long> flood = new ArrayDeque<>();
            long newest = before.version();
            for (int port = 0; !over.get(); ) {
                List<RuleDraft> drafts = new ArrayList<>();
                while (drafts.size() < FLOOD_AT_ONCE) {
                    Rule next = rule("priority=7,tcp,tp_dst=" + port++ % 60_000 + ",actions=drop");
                    drafts.add(RuleDraft.delta("bounds", "drop", null, put(next, content, flood)));
                }
                newest = publisher.publish(drafts, content).version();
            }
            return newest;
        }
    }

    /** Adds a rule, and takes the oldest of a flood away where there are enough. */
    private static RuleDelta put(Rule next, RuleContent content, Deque<Long> flood) {
        RuleEdits edits = new RuleEdits(content);
        flood.add(edits.apply(new RuleEdit.Add(next, RuleEdit.Position.LAST)).id());
        if (flood.size() > FLOOD_RULES) {
            long oldest = flood.remove();
            edits.apply(
                    new RuleEdit.Remove(new RuleEdit.Name(String.valueOf(oldest), oldest, null)));
        }
        return edits.take();
    }
}
