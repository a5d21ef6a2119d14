package dev.sluice.job.graph;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Phase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.java.tuple.Tuple2;
import org.jspecify.annotations.Nullable;

/**
 * Watermark alignment of the sources of a live job in event time.
 *
 * <p>No source is read further ahead of the slowest one than the job's options allow. So Kafka
 * retains packets while the rules of their time are missing, and few packets wait in the job.
 *
 * <p>The watermarks serve the alignment alone: they end at the classify operator. The watermark of
 * packets follows their own times, the watermark of rules heartbeats and effective times. An idle
 * source holds back others no longer than its time-out.
 */
final class SourceAlignment {
    private static final String GROUP = "packets and rules";

    /** Interval at which sources report their watermark. */
    private static final Duration EVERY = Duration.ofMillis(200);

    /** Time-out after which an idle partition of packets holds back no others. */
    private static final Duration SILENT_PACKETS = Duration.ofSeconds(1);

    /** Time of a message without one. */
    private static final long NO_TIME = Long.MIN_VALUE;

    private SourceAlignment() {}

    /** Returns the strategy of the source of packets. */
    static WatermarkStrategy<Tuple2<Integer, byte[]>> packets(JobOptions options) {
        int shards = options.classify().shards();
        return aligned(
                options.rulesDrift(),
                SILENT_PACKETS,
                (message, recordMillis) -> packetMillis(message, shards));
    }

    /** Returns the strategy of the source of rules. */
    static WatermarkStrategy<Tuple2<Integer, byte[]>> rules(JobOptions options) {
        return aligned(
                options.rulesDrift(),
                Duration.ofNanos(options.classify().rulesTime().idleNs()),
                (message, recordMillis) -> ruleMillis(message, recordMillis));
    }

    private static WatermarkStrategy<Tuple2<Integer, byte[]>> aligned(
            @Nullable Duration drift,
            Duration idle,
            SerializableTimestampAssigner<Tuple2<Integer, byte[]>> times) {
        if (drift == null) {
            return WatermarkStrategy.noWatermarks();
        }
        WatermarkStrategy<Tuple2<Integer, byte[]>> strategy =
                WatermarkStrategy.<Tuple2<Integer, byte[]>>forMonotonousTimestamps()
                        .withTimestampAssigner(times);
        if (!idle.isZero()) {
            strategy = strategy.withIdleness(idle);
        }
        return strategy.withWatermarkAlignment(GROUP, drift, EVERY);
    }

    /** Returns the time of a message's last packet, in ms. */
    private static long packetMillis(Tuple2<Integer, byte[]> message, int shards) {
        if (message.f0 == ShardedMessage.DEAD) {
            return NO_TIME;
        }
        PacketBlock block;
        try {
            block = PacketMessages.decode(ShardedMessage.bytes(message), shards);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("the source has let a malformed message pass", e);
        }
        Column times = block.column(Column.TIME_NS);
        long time =
                times == null || block.count() == 0 ? Column.NO_TIME : times.get(block.count() - 1);
        return time == Column.NO_TIME ? NO_TIME : TimeUnit.NANOSECONDS.toMillis(time);
    }

    /**
     * Returns the time up to which the rules are known after a message of the rules topic, in ms.
     */
    static long ruleMillis(Tuple2<Integer, byte[]> message, long recordMillis) {
        if (message.f0 == ShardedMessage.DEAD) {
            return NO_TIME;
        }
        RuleChange change;
        try {
            change = RuleChange.decode(message.f1);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("the source has let a malformed message pass", e);
        }
        if (change.phase() != Phase.HEARTBEAT && change.phase() != Phase.COMMIT) {
            return NO_TIME;
        }
        Long time = change.effectiveTimeNs();
        return time == null ? recordMillis : TimeUnit.NANOSECONDS.toMillis(time);
    }
}
