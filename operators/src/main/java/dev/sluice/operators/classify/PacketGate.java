package dev.sluice.operators.classify;

import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets packets go on to the pipeline, in the order of their flow shard, once it is known which
 * rules judge them. Until then they wait as {@link WaitingPackets}, which a checkpoint holds, and
 * the task goes on taking input. Only where too many bytes wait is the input held back: the task
 * then runs mails, and no barrier passes.
 *
 * <p>Used by the mailbox thread. While a block is handed to the pipeline, or the pipeline is
 * drained, that thread may run mails, among them those that ask to let more go on: that is done
 * afterwards, so that blocks never mix and nothing enters a pipeline that is drained.
 */
final class PacketGate {
    /** Pause between log lines that say what the end waits for. */
    private static final long REMINDER_MICROS = TimeUnit.SECONDS.toMicros(10);

    private static final Logger LOG = LoggerFactory.getLogger(PacketGate.class);

    private final String name;
    private final WaitingPackets waiting;
    private final TimeMode mode;
    private final BatchPipeline pipeline;
    private final BatchPipeline.Mailbox mailbox;
    private final IntConsumer keys;
    private final ClassifyOptions options;
    private final FlushTimer timer;

    /** True while a block is passed to the pipeline, or the pipeline is drained. */
    private boolean busy;

    /** True if further packets may be released afterwards. */
    private boolean due;

    private volatile boolean holding;

    /**
     * A gate.
     *
     * @param name of operator and subtask, for the log
     * @param mode says which rules judge packets
     * @param keys sets the key of the state to that of a flow shard
     * @param timer for log lines that come again
     */
    PacketGate(
            String name,
            WaitingPackets waiting,
            TimeMode mode,
            BatchPipeline pipeline,
            BatchPipeline.Mailbox mailbox,
            IntConsumer keys,
            ClassifyOptions options,
            FlushTimer timer) {
        this.name = name;
        this.waiting = waiting;
        this.mode = mode;
        this.pipeline = pipeline;
        this.mailbox = mailbox;
        this.keys = keys;
        this.options = options;
        this.timer = timer;
    }

    /** Takes the next message of a flow shard, whose key is that of the state. */
    void take(int shard, byte[] message) throws Exception {
        if (!waiting.isWaiting(shard)) {
            PacketBlock block = decoded(message);
            if (mode.knows(mode.needsNs(block))) {
                busy = true;
                try {
                    mode.judge(block);
                } finally {
                    busy = false;
                }
                if (due) {
                    letGo();
                }
                return;
            }
        }
        waiting.add(shard, message);
        while (waiting.bytes() > options.waitingBytes()) {
            holdBack();
        }
        holding = false;
    }

    private PacketBlock decoded(byte[] message) throws MalformedMessageException {
        return PacketMessages.decode(message, options.shards());
    }

    private void holdBack() throws InterruptedException {
        if (!holding) {
            holding = true;
            LOG.warn(
                    "packets of {} are held back: {} bytes wait for rules, and --waiting-bytes is {}; no checkpoint passes until rules come",
                    name,
                    waiting.bytes(),
                    options.waitingBytes());
        }
        mailbox.runNext();
    }

    /** Lets all go on of which the rules are known by now. */
    private void letGo() throws Exception {
        if (busy) {
            due = true;
            return;
        }
        busy = true;
        try {
            do {
                due = false;
                for (int shard : waiting.shards()) {
                    letGo(shard);
                }
            } while (due);
        } finally {
            busy = false;
        }
    }

    private void letGo(int shard) throws Exception {
        @Nullable Long needed = waiting.neededNs(shard);
        if (needed != null && !mode.knows(needed)) {
            return;
        }
        keys.accept(shard);
        while (waiting.isWaiting(shard)) {
            PacketBlock block = decoded(waiting.first(shard));
            long needs = mode.needsNs(block);
            if (!mode.knows(needs)) {
                waiting.firstNeeds(shard, needs);
                return;
            }
            waiting.removeFirst(shard);
            mode.judge(block);
        }
    }

    /** Has the pipeline emit everything that was let go on. What waits stays. */
    void drain() throws InterruptedException {
        busy = true;
        try {
            pipeline.drain();
        } finally {
            busy = false;
        }
        if (due) {
            rulesChanged(); // what goes on, goes behind the barrier
        }
    }

    /** Has a mail let go on what may. */
    void rulesChanged() {
        if (waiting.count() > 0) {
            mailbox.execute(this::letGoNow);
        }
    }

    private void letGoNow() {
        try {
            letGo();
        } catch (Exception e) {
            throw new IllegalStateException("packets that waited cannot be classified", e);
        }
    }

    /** Waits until all have gone on that wait; the log says so, again and again. */
    void awaitAll() throws InterruptedException {
        sayWhatWaits();
        while (waiting.count() > 0) {
            mailbox.runNext();
        }
    }

    private void sayWhatWaits() {
        if (waiting.count() == 0) {
            return;
        }
        Long neededNs = waiting.earliestNeededNs();
        LOG.warn(
                "{} cannot end: {} messages of packets wait for rules{}; {}, and a stop without --drain keeps them in the savepoint",
                name,
                waiting.count(),
                neededNs == null || neededNs == Long.MIN_VALUE
                        ? ""
                        : ", the first of them until these are known up to "
                                + EffectiveTimes.instant(neededNs),
                mode.letsGo());
        timer.after(REMINDER_MICROS, () -> mailbox.executeIfOpen(this::sayWhatWaits));
    }

    /** Tells whether the input is held back; from any thread. */
    boolean isHolding() {
        return holding;
    }
}
