package dev.sluice.job.lab.corridor;

import dev.sluice.job.replay.Progress;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Has a contender judge all of a topic that was filled before, and measures that. */
final class HeatBench {
    private static final long METER_NANOS = 1_000_000_000L;
    private static final long LOOK_MILLIS = 50;

    private final CorridorBench.Plan plan;
    private final Site site;
    private final CorridorTopics topics;
    private final TemporaryDirectory directory;
    private final PrintWriter err;

    HeatBench(
            CorridorBench.Plan plan,
            Site site,
            CorridorTopics topics,
            TemporaryDirectory directory,
            PrintWriter err) {
        this.plan = plan;
        this.site = site;
        this.topics = topics;
        this.directory = directory;
        this.err = err;
    }

    /** Runs a contender all of whose devices last. */
    Heat run(Contender contender, String run, CorridorTopics.Filled filled) throws Exception {
        return run(contender, run, filled, null);
    }

    /**
     * Runs a contender.
     *
     * @param run what tells its runs apart; empty for the one that counts
     * @param filled the packets
     * @param loss of a device in mid-run; null: none
     */
    Heat run(
            Contender contender,
            String run,
            CorridorTopics.Filled filled,
            @Nullable DeviceLoss loss)
            throws Exception {
        String name = contender.name() + run;
        Path folder = Files.createDirectories(directory.path().resolve(name));
        String verdicts = topics.createVerdicts(name);
        Contender.Track track =
                new Contender.Track(
                        site.bootstrap(),
                        filled.topic(),
                        verdicts,
                        plan.parallelism(),
                        plan.checkpoints(),
                        folder);
        System.gc();
        UsageMeter meter = new UsageMeter(site.brokers(), site.workers());
        Usage before = meter.read();
        Arrivals arrivals = new Arrivals(System.currentTimeMillis());
        List<Usage> readings = new ArrayList<>();
        readings.add(before);
        @Nullable Usage quarter = null;
        long quarterHeaders = 0;
        long metered = before.nanos();
        try (VerdictReaders readers =
                        new VerdictReaders(
                                site.bootstrap(),
                                verdicts,
                                true,
                                plan.parallelism(),
                                message -> read(contender, message),
                                arrivals);
                Progress progress = new Progress(err, name);
                Contender.Running running = contender.start(track)) {
            while (arrivals.total() < filled.headers()) {
                Thread.sleep(LOOK_MILLIS);
                readers.requireReading();
                if (loss != null) {
                    loss.at(arrivals.total(), filled.headers());
                }
                if (System.nanoTime() - metered > METER_NANOS) {
                    metered = System.nanoTime();
                    running.requireRunning();
                    directory.requireSpace();
                    long judged = arrivals.total();
                    Usage now = meter.read();
                    readings.add(now);
                    // Of a run so short that nothing is left behind the first quarter, all counts.
                    if (quarter == null
                            && judged >= filled.headers() / 4
                            && judged < filled.headers()) {
                        quarter = now;
                        quarterHeaders = judged;
                    }
                }
                progress.at(arrivals.total(), filled.headers(), true);
            }
            Usage after = meter.read();
            return new Heat(
                    contender.name(),
                    arrivals.windows(),
                    (arrivals.lastNanos() - before.nanos()) / 1e9,
                    after.since(before),
                    after.since(quarter == null ? before : quarter),
                    arrivals.total() - quarterHeaders,
                    topics.storedBytes(filled.topic()),
                    topics.storedBytes(verdicts),
                    filled.bytes(),
                    arrivals.bytes(),
                    differences(readings),
                    running.classified(filled.headers()));
        }
    }

    /** What was used between each two readings. */
    private static List<Usage> differences(List<Usage> readings) {
        List<Usage> used = new ArrayList<>();
        for (int i = 1; i < readings.size(); i++) {
            used.add(readings.get(i).since(readings.get(i - 1)));
        }
        return used;
    }

    private static VerdictReaders.Read read(
            Contender contender, ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        return new VerdictReaders.Read(
                message.timestamp(), contender.headers(message.value()), message.value().length, 0);
    }
}
