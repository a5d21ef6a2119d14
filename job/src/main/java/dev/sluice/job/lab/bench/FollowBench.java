package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.RulePublisher;
import dev.sluice.job.kafka.RuleStanding;
import dev.sluice.job.kafka.RuleTopicSettings;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.lab.corridor.ProcessCpu;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleFollower;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.operators.rules.RuleLog;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Measures {@code rules publish --follow}: lines of JSON from a file, through checks and Kafka's
 * transactions, to the content that a job has of the rules. Broker, publisher and reader share this
 * process.
 */
final class FollowBench {
    private static final String TOPIC = TopicNames.defaults().rules();
    private static final Duration POLL = Duration.ofMillis(100);

    private final RuleFile rules;
    private final EngineOptions engine;

    /**
     * What was measured.
     *
     * @param changes changes published
     * @param transactions versions that they made, snapshots among them
     * @param changesPerSecond changes over the time from the first line to the last commit
     * @param steadyPerSecond the same without the first quarter: the JIT compiler at work
     * @param steadyCpuMicros CPU time a change of the whole process without the first quarter,
     *     broker, JIT compiler and garbage collector included
     * @param readCpuMicros CPU time a change of the thread that reads the topic as a job does:
     *     messages decoded, transactions put together, the content changed
     * @param stages the parts of the publisher alone, each in one thread, warmed up
     */
    record Result(
            long changes,
            long transactions,
            double changesPerSecond,
            double steadyPerSecond,
            double steadyCpuMicros,
            double readCpuMicros,
            FollowStages.Result stages) {}

    /** A bench of changes to a file's rules. */
    FollowBench(RuleFile rules, EngineOptions engine) {
        this.rules = rules;
        this.engine = engine;
    }

    /** Publishes at least so many changes. */
    Result run(long changes, Path parent, PrintWriter err) throws Exception {
        EditLines lines = new EditLines(rules.rules());
        try (TemporaryDirectory directory = new TemporaryDirectory(parent);
                EmbeddedBroker broker = EmbeddedBroker.start(directory.path(), 0)) {
            try (RuleTopicSettings settings =
                    new RuleTopicSettings(new KafkaClients(broker.bootstrap()), TOPIC)) {
                settings.create();
            }
            RulePublisher.publish(
                    new KafkaClients(broker.bootstrap()),
                    TOPIC,
                    "bench",
                    RuleSet.DROP,
                    rules.rules());
            Path first = directory.path().resolve("first.jsonl");
            Path rest = directory.path().resolve("rest.jsonl");
            lines.write(first, changes / 4);
            lines.write(rest, changes - changes / 4);
            return measure(broker.bootstrap(), first, rest, err);
        }
    }

    private Result measure(String bootstrap, Path first, Path rest, PrintWriter err)
            throws Exception {
        long before;
        long start;
        long restStart;
        long end;
        long cpu;
        RuleFollower.Result warm;
        RuleFollower.Result all;
        try (RulePublisher publisher =
                new RulePublisher(
                        new KafkaClients(bootstrap),
                        RulePublisher.Options.of(TOPIC),
                        (done, total) -> {})) {
            RuleStanding base = publisher.takeOver();
            RuleSet standing = base.rules();
            if (standing == null) {
                throw new SluiceException("the rules that were published cannot be read back");
            }
            before = base.version();
            RuleContent content = new RuleContent(standing.rules());
            err.println("publishing changes");
            err.flush();
            start = System.nanoTime();
            warm = follow(publisher, before, content, first, err);
            restStart = System.nanoTime();
            cpu = ProcessCpu.nanos();
            all = follow(publisher, warm.version(), content, rest, err);
            cpu = ProcessCpu.nanos() - cpu;
            end = System.nanoTime();
        }
        long changes = warm.changes() + all.changes();
        err.println("reading them back");
        err.flush();
        double readMicros = readMicros(bootstrap, before, changes);
        err.println("measuring the parts of the publisher");
        err.flush();
        return new Result(
                changes,
                all.version() - before,
                changes * 1e9 / (end - start),
                all.changes() * 1e9 / (end - restStart),
                cpu / 1e3 / all.changes(),
                readMicros,
                FollowStages.measure(rules));
    }

    private RuleFollower.Result follow(
            RulePublisher publisher, long version, RuleContent content, Path lines, PrintWriter err)
            throws IOException, InterruptedException {
        ServingCheck check = new ServingCheck(engine);
        RuleFollower follower =
                new RuleFollower(
                        publisher,
                        version,
                        content,
                        "bench",
                        RuleSet.DROP,
                        rule -> check.estimate(rule, content.size() + 1),
                        new PrintWriter(Writer.nullWriter()),
                        err);
        try (BufferedReader in = Files.newBufferedReader(lines)) {
            RuleFollower.Result result = follower.run(in, Duration.ZERO);
            if (result.refused() > 0) {
                throw new SluiceException(
                        result.refused() + " lines of the bench's own were refused; see above");
            }
            return result;
        }
    }

    /** CPU time a change of what a job does with the messages behind a version. */
    private static double readMicros(String bootstrap, long base, long changes)
            throws MalformedMessageException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        RuleLog log = new RuleLog();
        long nanos = 0;
        try (TopicReader reader = new TopicReader(new KafkaClients(bootstrap), List.of(TOPIC))) {
            Map<TopicPartition, Long> ends = reader.ends();
            while (!reader.reached(ends)) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    long start = threads.getCurrentThreadCpuTime();
                    boolean counted = log.book().version() >= base;
                    if (log.accept(message.value(), message.timestamp() * 1_000_000L) != null) {
                        log.servable(log.book().history(), log.book().version());
                    }
                    nanos += counted ? threads.getCurrentThreadCpuTime() - start : 0;
                }
            }
        }
        return nanos / 1e3 / changes;
    }
}
