package dev.sluice.operators.classify;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.operators.rules.serving.RuleLease;
import dev.sluice.operators.rules.serving.RuleStream;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.shadow.PairCounter;
import dev.sluice.operators.shadow.ShadowOptions;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subtask's share in the shadow: takes the newest version that its rule stream serves, gives it
 * to each batch that begins, and compares its verdicts with those of the job's policy.
 *
 * <p>The shadow is judged on the CPU, in the worker, once the batch has its verdicts. Where
 * connections are tracked it is judged under the states that the connections have by the job's
 * policy. Batches are not compared before its first version, and where its rules ask for states
 * that the job does not track, or for those before tracking, which only connections of its own
 * could tell.
 *
 * <p>Threads: the mailbox thread, but for {@link #compare}, which is the worker's.
 */
final class Shadow {
    private static final Logger LOG = LoggerFactory.getLogger(Shadow.class);
    private static final int ASKED = Field.CONNECTION_ASKED.maskInWord();

    private final PairCounter counter;
    private final RuleStream stream;
    private final RuleLease lease;
    private final Runnable decided;
    private boolean isDecided;

    /** The version of the next batch; null before the first. */
    private @Nullable ServedVersion rules;

    private volatile long version = -1;

    /**
     * A share that has taken no version.
     *
     * @param key of the services of the operator
     * @param name of the operator
     * @param engine how the job's rules are served
     * @param mailbox runs mails in the task's thread, unless the task has ended
     * @param decided hears when the version is taken that the job begins with, or there is none
     */
    Shadow(
            ShadowOptions options,
            VersionService.Key key,
            String name,
            EngineOptions engine,
            Consumer<Runnable> mailbox,
            Runnable decided) {
        this.decided = decided;
        counter = new PairCounter(options.words());
        stream =
                RuleStream.acquire(
                        new VersionService.Key(
                                key.job(), key.operator() + "-shadow", key.attempt(), 0),
                        new VersionService.Start(
                                "the shadow of " + name,
                                engine.withGpu(GpuPool.Selection.OFF),
                                0,
                                options.rules(),
                                true),
                        RuleStreamState.EMPTY);
        lease = stream.lease(() -> mailbox.accept(this::useNewest), false);
    }

    /** Registers the metrics. */
    void metrics(MetricGroup group) {
        MetricGroup shadow = group.addGroup("shadow");
        shadow.gauge("ruleSetVersion", this::version);
        shadow.gauge("ruleSetVersionWanted", () -> stream.figures().wanted());
        shadow.gauge("rulesRefused", () -> stream.figures().refused());
        shadow.gauge("packetsCompared", () -> counter.compared().getAsLong());
        shadow.gauge("packetsDifferent", () -> counter.different().getAsLong());
        shadow.gauge("packetsNotCompared", () -> counter.notCompared().getAsLong());
    }

    /** Takes what is there so far. */
    void begin() {
        useNewest();
    }

    private void useNewest() {
        ServedVersion newer = stream.takeNewer(lease);
        if (newer != null) {
            ServedVersion before = rules;
            rules = newer;
            version = newer.version();
            warn(before, newer);
            if (before != null) {
                before.close();
            }
        }
        if (!isDecided && stream.isDecided()) {
            isDecided = true;
            decided.run();
        }
    }

    private static void warn(@Nullable ServedVersion before, ServedVersion next) {
        if ((next.connectionBits() & ASKED) != 0
                && (before == null || (before.connectionBits() & ASKED) == 0)) {
            LOG.warn(
                    "version {} of the shadow has rules before connection tracking, as NOTRACK, so no packet is compared; compare it on a capture, by sluice whatif",
                    next.version());
        }
    }

    /** Number of the version of the next batch; -1 before the first; from any thread. */
    long version() {
        return version;
    }

    /** Tells whether the version that the job begins with was taken, or there is none. */
    boolean isDecided() {
        return isDecided;
    }

    /** Gives the present version to a batch that begins. */
    void start(MicroBatch batch) {
        ServedVersion by = rules;
        if (by != null) {
            batch.shadow(by);
        }
    }

    /** Looks a batch up that has its verdicts, and compares. */
    void compare(MicroBatch batch) {
        ShadowBatch shadow = batch.shadow();
        boolean judged = shadow != null && isComparable(batch, shadow);
        if (shadow != null && judged) {
            if (shadow.rules().connectionBits() != 0) {
                putStates(batch, shadow.headers());
            }
            shadow.rules().submit(shadow.headers(), shadow.verdicts()).await();
        }
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            if (shadow != null && judged) {
                counter.count(
                        part.block().block,
                        part.from(),
                        part.count(),
                        batch.rules(),
                        batch.verdicts.rules(),
                        shadow.rules(),
                        shadow.verdicts().rules(),
                        at);
            } else {
                counter.notCompared(part.block().block, part.from(), part.count());
            }
            at += part.count();
        }
    }

    private static boolean isComparable(MicroBatch batch, ShadowBatch shadow) {
        int asked = shadow.rules().connectionBits();
        return asked == 0 || batch.isTracked() && (asked & ASKED) == 0;
    }

    /** Writes the states of the packets' connections into the shadow's headers. */
    private static void putStates(MicroBatch batch, HeaderBatch headers) {
        int to = headers.layout().position(HeaderWord.CONNECTION) * headers.capacity();
        for (MicroBatch.Part part : batch.parts) {
            int[] states = part.block().states;
            if (states == null) {
                throw new IllegalStateException("a tracked packet without a state");
            }
            System.arraycopy(states, part.from(), headers.words(), to, part.count());
            to += part.count();
        }
    }

    /** Emits counts that are too many to be kept until {@link #drain}. */
    void takeFull(Consumer<byte[]> to) {
        counter.takeFull(to);
    }

    /** Emits what was counted; no batch may be under way. */
    void drain(Consumer<byte[]> to) {
        counter.drain(to);
    }

    /** Gives back what is shared. No batch of the subtask may be under way any more. */
    void close() {
        if (rules != null) {
            rules.close();
            rules = null;
        }
        stream.close(lease);
    }
}
