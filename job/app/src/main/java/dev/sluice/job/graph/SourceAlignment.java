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
 * Has the sources of a live job in event time wait for each other, by Flink's watermark alignment:
 * none is read further ahead of the slowest than the job's options say. So packets are held back in
 * Kafka while rules of their time are missing, and what waits in the job stays small.
 *
 * <p>The watermarks serve this alone: they end at the classify operator. That of packets follows
 * their own times, that of rules heartbeats and effective times. A source that is silent holds
 * nobody back for longer than it may be.
 */
final class SourceAlignment {
    private static final String GROUP = "packets and rules";

    /** How often sources say how far they are. */
    private static final Duration EVERY = Duration.ofMillis(200);

    /** A partition of packets that is silent for longer holds no others back. */
    private static final Duration SILENT_PACKETS = Duration.ofSeconds(1);

    /** The time of a message that has none. */
    private static final long NO_TIME = Long.MIN_VALUE;

    private SourceAlignment() {}

    /** How packets are read. */
    static WatermarkStrategy<Tuple2<Integer, byte[]>> packets(JobOptions options) {
        int shards = options.classify().shards();
        return aligned(
                options.rulesDrift(),
                SILENT_PACKETS,
                (message, recordMillis) -> packetMillis(message, shards));
    }

    /** How rules are read. */
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

    /** Time of the last packet of a message, in ms. */
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

    /** Time up to which a message of the rules topic lets know the rules, in ms. */
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
