package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.backend.Classified;
import dev.sluice.lab.kit.TopicTail;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Runs of a job that judges all of a topic that was filled before. */
final class ThroughputRun {
    private static final long METER_NANOS = 1_000_000_000L;
    private static final long LOOK_MILLIS = 50;

    private final Site site;
    private final CorridorTopics topics;
    private final CorridorJob job;
    private int runs;

    ThroughputRun(Site site, CorridorTopics topics, CorridorJob job) {
        this.site = site;
        this.topics = topics;
        this.job = job;
    }

    /** Runs the job, and returns its record. */
    ObjectNode of(CorridorTopics.Filled filled) throws Exception {
        String name = "run-" + ++runs;
        String verdicts = topics.createVerdicts(name);
        CorridorJob.Track track =
                new CorridorJob.Track(site, filled.topic(), verdicts, site.folder(name));
        System.gc();
        Usage before = Usage.of(site);
        long start = System.nanoTime();
        CountedVerdicts arrivals = CountedVerdicts.from(System.currentTimeMillis());
        Usage quarter = before;
        long quarterHeaders = 0;
        long metered = start;
        ObjectNode record = JsonOption.object();
        try (TopicTail readers =
                        site.watch(verdicts, true, message -> arrivals.take(read(message)));
                Progress progress = new Progress(site.err, name);
                CorridorJob.Running running = job.start(track)) {
            while (arrivals.total() < filled.headers()) {
                Thread.sleep(LOOK_MILLIS);
                readers.check();
                if (System.nanoTime() - metered > METER_NANOS) {
                    metered = System.nanoTime();
                    running.check().run();
                    site.directory.requireSpace();
                    long judged = arrivals.total();
                    Usage now = Usage.of(site);
                    // Of a run so short that nothing is left behind the first quarter, all counts.
                    if (quarterHeaders == 0
                            && judged >= filled.headers() / 4
                            && judged < filled.headers()) {
                        quarter = now;
                        quarterHeaders = judged;
                    }
                }
                progress.at(arrivals.total(), filled.headers(), true);
            }
            Usage after = Usage.of(site);
            record.put("headers", arrivals.total());
            Classified classified = running.metrics().classified(filled.headers());
            if (classified != null) {
                classified.describe(record);
            }
            double live = running.metrics().read("sum", "connections.live")[0];
            if (live > 0) { // else unknown: connections are not tracked
                record.put("connections", Math.round(live));
            }
            running.metrics().describeCheckpoints(record);
            describe(record, arrivals, (arrivals.lastNanos() - start) / 1e9, after.since(before));
            // Without the first quarter of the verdicts.
            after.since(quarter)
                    .describe(
                            record,
                            arrivals.total() - quarterHeaders,
                            "steadyCpu",
                            "steadyBrokerCpu");
            perHeader(record, "storedBytesInPerHeader", topics.storedBytes(filled.topic()));
            perHeader(record, "storedBytesOutPerHeader", topics.storedBytes(verdicts));
            perHeader(record, "bytesInPerHeader", filled.bytes());
            perHeader(record, "bytesOutPerHeader", arrivals.bytes());
            arrivals.windows().seconds().forEach(record.withArray("headersBySecond")::add);
        }
        return record;
    }

    private static void describe(
            ObjectNode record, CountedVerdicts arrivals, double seconds, Usage whole) {
        Windows windows = arrivals.windows();
        double median = windows.medianAfter(0.25);
        record.put("mpps", arrivals.total() / seconds / 1e6);
        record.put("steadyMpps", windows.rateAfter(0.25) / 1e6);
        record.put("medianSecondMpps", median / 1e6);
        record.put("firstVerdictSeconds", windows.firstSeconds());
        record.put("fullRateSeconds", windows.secondsToReach(0.9 * median));
        whole.describe(record, arrivals.total(), "cpu", "brokerCpu");
    }

    private static void perHeader(ObjectNode record, String member, long bytes) {
        record.put(member, Usage.perHeader(bytes, record.path("headers").asLong()));
    }

    private static CountedVerdicts.Read read(ConsumerRecord<byte[], byte[]> message)
            throws MalformedMessageException {
        int headers = VerdictBlock.count(message.value());
        return new CountedVerdicts.Read(message.timestamp(), headers, message.value().length, 0, 0);
    }
}
