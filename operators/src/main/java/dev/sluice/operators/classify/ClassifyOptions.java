package dev.sluice.operators.classify;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * How the classify operator works.
 *
 * @param engine how rules are compiled and looked up; what Flink's external resource {@code gpu}
 *     gives the task goes before its choice of devices, where that is auto
 * @param batchSize headers at which a batch is handed to the engine
 * @param maxDelayMicros µs after its first header at which the verdicts of a batch are to leave
 *     that is not full: it is submitted earlier by what its way usually takes, a quarter of this at
 *     most
 * @param inFlight batches submitted and not yet emitted, at least 1
 * @param shards flow shards that single headers are spread over
 * @param format what verdicts are emitted as
 * @param fields what travels with them
 * @param rulesTime which version judges a packet
 * @param tracker how connections are tracked, for policies that ask for their states; null: not
 * @param rows how rows of tracked connections are emitted; null: there are none
 * @param countsLive whether each checkpoint counts the connections that have not ended, which looks
 *     at all; for the summary of a job that ends
 * @param waitingBytes bytes of packets that may wait for rules in a subtask before its input is
 *     held back
 */
public record ClassifyOptions(
        EngineOptions engine,
        int batchSize,
        long maxDelayMicros,
        int inFlight,
        int shards,
        VerdictFormat format,
        VerdictFields fields,
        RulesTime rulesTime,
        @Nullable TrackerOptions tracker,
        @Nullable ConnectionOutput rows,
        boolean countsLive,
        long waitingBytes)
        implements Serializable {
    /** Packets that may wait for rules: some seconds of a subtask's highest rate. */
    public static final long WAITING_BYTES = 64L << 20;

    /** Form of the verdicts. */
    public enum VerdictFormat {
        /** One VerdictBlock for each packet block: the fast path. */
        BLOCKS,
        /** One self-contained Verdict a packet, at some tenth of the rate. */
        RECORDS;

        /** Fields by default: the 5-tuple in single verdicts, none in blocks. */
        public VerdictFields defaults() {
            return this == RECORDS ? VerdictFields.FIVE_TUPLE : VerdictFields.NONE;
        }
    }

    /** Options of the newest version that is ready. */
    public ClassifyOptions(
            EngineOptions engine,
            int batchSize,
            long maxDelayMicros,
            int inFlight,
            int shards,
            VerdictFormat format,
            VerdictFields fields) {
        this(
                engine,
                batchSize,
                maxDelayMicros,
                inFlight,
                shards,
                format,
                fields,
                RulesTime.PROCESSING,
                null,
                null,
                false,
                WAITING_BYTES);
    }

    /**
     * These options with connections tracked, whose states travel with verdicts.
     *
     * @param by null: as they are
     */
    public ClassifyOptions tracking(@Nullable TrackerOptions by) {
        return by == null
                ? this
                : with(
                        fields.with(PacketField.of(Field.CONNECTION_STATE)),
                        rulesTime,
                        by,
                        rows,
                        countsLive,
                        waitingBytes);
    }

    /** These options with rows of connections; null: without. */
    public ClassifyOptions telling(@Nullable ConnectionOutput told) {
        return with(fields, rulesTime, tracker, told, countsLive, waitingBytes);
    }

    /** These options with live connections counted at each checkpoint. */
    public ClassifyOptions countingLive() {
        return with(fields, rulesTime, tracker, rows, true, waitingBytes);
    }

    /** Tells whether the connections of packets are tracked that a version judges. */
    boolean tracks(ServedVersion by) {
        return tracker != null && (rows != null || by.connectionBits() != 0);
    }

    /** These options with another choice of the version, and bound of what waits for rules. */
    public ClassifyOptions with(RulesTime time, long waiting) {
        return with(fields, time, tracker, rows, countsLive, waiting);
    }

    private ClassifyOptions with(
            VerdictFields told,
            RulesTime time,
            @Nullable TrackerOptions by,
            @Nullable ConnectionOutput rowsBy,
            boolean counting,
            long waiting) {
        return new ClassifyOptions(
                engine,
                batchSize,
                maxDelayMicros,
                inFlight,
                shards,
                format,
                told,
                time,
                by,
                rowsBy,
                counting,
                waiting);
    }

    /** Checks the numbers. */
    public ClassifyOptions {
        if (rows != null && tracker == null) {
            throw new IllegalArgumentException("rows of connections that are not tracked");
        }
        if (batchSize < 1 || batchSize > 1 << 20) {
            throw new IllegalArgumentException("batch size " + batchSize + " is not in 1..1048576");
        }
        if (maxDelayMicros < 100) {
            throw new IllegalArgumentException(
                    "max delay of " + maxDelayMicros + " µs is below 100 µs");
        }
        if (waitingBytes < 0) {
            throw new IllegalArgumentException(waitingBytes + " bytes that wait are below 0");
        }
        if (inFlight < 1 || shards < 1) {
            throw new IllegalArgumentException("batches in flight and shards must be at least 1");
        }
    }
}
