package dev.sluice.operators.classify;

import dev.sluice.engine.EngineFigures;
import dev.sluice.operators.connections.TrackerCounts;
import dev.sluice.operators.rules.serving.SharedTimeline;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.statistics.JobCounts;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a classify operator instance, and what it counts for the job's end. Changed in the
 * mailbox thread, read by those of Flink's reporters.
 *
 * <p>{@code headers} went into batches, {@code verdicts} came out of them; both count from the
 * task's start, {@code packetsJudged} from the job's.
 *
 * <p>What tells of rules is of the rule stream, which the instances of a process share, except
 * {@code ruleSetVersion}: {@code ruleSetVersionWanted} is the newest version of the history, and
 * {@code rulesPending} says how many versions are not served. What stands under {@code gpu} is of
 * the version in force alone, and 0 where no device serves it.
 */
final class ClassifyMetrics {
    /** Blocks that the times of blocks are worked out from. */
    private static final int LAST_BLOCKS = 512;

    /** Checkpoints that the pauses are worked out from. */
    private static final int LAST_CHECKPOINTS = 512;

    /** Time beyond its batch's delay after which a block is overdue. */
    private static final long MARGIN_MICROS = 500;

    private final Counter headers;
    private final Counter answered;
    private final Counter batches;
    private final Counter blocks;
    private final Counter overdue;
    private final Counter late;
    private final Counter ahead;
    private final Histogram blockMicros;
    private final Histogram pauseMicros;
    private final long dueMicros;
    private final MetricGroup group;
    private final JobCounts verdicts;

    /** Share of the last batch that was full, 0 to 1. */
    private volatile double batchFill;

    /** Version of the rules that packets are judged by, -1 before the first. */
    private volatile long ruleSetVersion = -1;

    /** When that version came into force here, in ms since 1970; -1 before the first. */
    private volatile long ruleSetSinceMillis = -1;

    /**
     * Registers the metrics.
     *
     * @param maxDelayMicros how long after its first header a batch's verdicts are to leave
     * @param rules where the rule stream of the process stands, as of the call
     * @param batchesInFlight batches that are submitted and not emitted, as of the call
     * @param verdicts takes the number of verdicts by the name of their status
     */
    ClassifyMetrics(
            MetricGroup group,
            long maxDelayMicros,
            Supplier<VersionService.Figures> rules,
            IntSupplier batchesInFlight,
            JobCounts verdicts) {
        headers = group.counter("headers");
        answered = group.counter("verdicts");
        batches = group.counter("batches");
        blocks = group.counter("blocks");
        overdue = group.counter("blocksOverdue");
        dueMicros = maxDelayMicros + MARGIN_MICROS;
        late = group.counter("latePackets");
        ahead = group.counter("packetsAheadOfRules");
        blockMicros =
                group.histogram("blockMicros", new DescriptiveStatisticsHistogram(LAST_BLOCKS));
        pauseMicros =
                group.histogram(
                        "checkpointPauseMicros",
                        new DescriptiveStatisticsHistogram(LAST_CHECKPOINTS));
        this.group = group;
        this.verdicts = verdicts;
        group.gauge("batchesInFlight", batchesInFlight::getAsInt);
        group.gauge("batchFill", () -> batchFill);
        group.gauge("ruleSetVersion", () -> ruleSetVersion);
        group.gauge("ruleSetSinceMillis", () -> ruleSetSinceMillis);
        group.gauge("packetsJudged", verdicts::sum);
        group.gauge("ruleSetVersionWanted", () -> rules.get().wanted());
        group.gauge("rulesPending", () -> rules.get().pending());
        group.gauge("rulesRefused", () -> rules.get().refused());
        group.gauge("droppedRuleTransactions", () -> rules.get().dropped());
        group.gauge("ruleHistories", () -> rules.get().histories());
        Supplier<EngineFigures> engine = () -> rules.get().engine();
        group.gauge("flowCacheHitRate", () -> engine.get().flowCacheHitRate());
        group.gauge("flowCachesTurnedOn", () -> engine.get().flowCachesTurnedOn());
        group.gauge("flowCachesTurnedOff", () -> engine.get().flowCachesTurnedOff());
        MetricGroup gpu = group.addGroup("gpu");
        gpu.gauge("batches", () -> engine.get().deviceBatches());
        gpu.gauge("headers", () -> engine.get().deviceHeaders());
        gpu.gauge("cpuBatches", () -> engine.get().cpuBatches());
        gpu.gauge("cpuHeaders", () -> engine.get().cpuHeaders());
        gpu.gauge("fallBacks", () -> engine.get().fallBacks());
        gpu.gauge("resting", () -> engine.get().resting() ? 1L : 0L);
        gpu.gauge("flightMicros", () -> engine.get().flightMicros());
        gpu.gauge("batchesUnderWay", () -> engine.get().batchesUnderWay());
        gpu.gauge("imageBytes", () -> engine.get().deviceImageBytes());
        gpu.gauge("ownImage", () -> engine.get().ownImage() ? 1L : 0L);
    }

    /**
     * Registers the gauges of packets that wait for rules.
     *
     * @param heldBack tells whether input is held back for them
     */
    void waiting(WaitingPackets waiting, BooleanSupplier heldBack) {
        group.gauge("waitingBlocks", waiting::count);
        group.gauge("waitingBytes", waiting::bytes);
        group.gauge("heldBack", () -> heldBack.getAsBoolean() ? 1 : 0);
    }

    /**
     * Registers the gauges of connections.
     *
     * @param live whether those that have not ended are counted
     */
    void connections(ShardConnections tracked, boolean live) {
        Supplier<TrackerCounts> counts = tracked::counts;
        MetricGroup connections = group.addGroup("connections");
        connections.gauge("live", () -> counts.get().live());
        connections.gauge("created", () -> counts.get().created());
        connections.gauge("pickedUp", () -> counts.get().pickedUp());
        connections.gauge("refused", () -> counts.get().refused());
        connections.gauge("evicted", () -> counts.get().evicted());
        connections.gauge("notEntered", () -> counts.get().full());
        connections.gauge("doubtful", () -> counts.get().doubtful());
        connections.gauge("answeringPackets", () -> counts.get().answering());
        connections.gauge("untoldSegments", () -> counts.get().untold());
        connections.gauge("reevaluated", () -> counts.get().reevaluated());
        connections.gauge("endedByRules", () -> counts.get().endedByRules());
        BatchFacts facts = tracked.facts();
        if (facts != null) {
            connections.gauge("rows", facts::rows);
        }
        if (live) {
            connections.gauge("liveAtCheckpoint", tracked::live);
        }
    }

    /** Registers what tells of rules that a live job follows in event time. */
    void live(SharedTimeline timeline) {
        group.gauge("rulesSilent", () -> timeline.follower().isIdle() ? 1 : 0);
        group.gauge("ruleVersionsTooLate", timeline.follower()::versionsTooLate);
        group.gauge("ruleVersionsKept", timeline.history()::kept);
    }

    /** A batch was handed to the worker. */
    void batchSubmitted(int size, int capacity) {
        batchFill = (double) size / capacity;
        headers.inc(size);
        batches.inc();
    }

    /** All verdicts on a block were emitted, some time after it was taken. */
    void blockAnswered(int packets, long nanos) {
        answered.inc(packets);
        long micros = nanos / 1_000;
        blockMicros.update(micros);
        blocks.inc();
        if (micros > dueMicros) {
            overdue.inc();
        }
    }

    /** The task goes on behind a barrier, some time after it came. */
    void wentOn(long nanos) {
        pauseMicros.update(nanos / 1_000);
    }

    /**
     * A block was handed to the pipeline, and will be emitted before the next barrier.
     *
     * @param statuses for each packet the {@link VerdictStatus#code} of its verdict; null: all are
     *     ok
     */
    void judged(int packets, byte @Nullable [] statuses) {
        if (statuses == null) {
            verdicts.add(VerdictStatus.OK.name(), packets);
            return;
        }
        for (int first = 0; first < packets; ) {
            int end = first + 1;
            while (end < packets && statuses[end] == statuses[first]) {
                end++;
            }
            verdicts.add(VerdictStatus.ofCode(statuses[first]).name(), end - first);
            first = end;
        }
    }

    /** Packets came later than is allowed in event time. */
    void late(int packets) {
        late.inc(packets);
    }

    /** Packets were judged at times of which the rules topic, being silent, has not told. */
    void ahead(int packets) {
        ahead.inc(packets);
    }

    /** Packets are judged by a version from now on. */
    void ruleSetInForce(long version) {
        if (version != ruleSetVersion) {
            ruleSetSinceMillis = System.currentTimeMillis();
        }
        ruleSetVersion = version;
    }
}
