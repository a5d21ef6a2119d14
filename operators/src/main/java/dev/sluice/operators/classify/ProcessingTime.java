package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.RuleLease;
import dev.sluice.operators.rules.serving.RuleStreamFigures;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.ServedVersion;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest version that is ready judges: a subtask's lease of the rule stream of its process.
 * Packets wait for the first version alone.
 */
final class ProcessingTime implements TimeMode {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessingTime.class);

    private final RuleState state;
    private final @Nullable RuleSource bootstrap;
    private @Nullable Task task;
    private @Nullable RuleLease lease;

    /**
     * Processing time with what a checkpoint held.
     *
     * @param bootstrap reads the rules where packets wait for the first; null: the broadcast alone
     */
    ProcessingTime(RuleState state, @Nullable RuleSource bootstrap) {
        this.state = state;
        this.bootstrap = bootstrap;
    }

    @Override
    public void open(Task opened) {
        task = opened;
        lease =
                RuleLease.acquire(
                        opened.key(),
                        new RuleLease.Start(
                                opened.operator(),
                                opened.engine(),
                                opened.info().getIndexOfThisSubtask(),
                                state.takeRestored(),
                                bootstrap),
                        this::rulesChanged,
                        opened.isFirst());
        useNewestRules();
    }

    private Task task() {
        Task open = task;
        if (open == null) {
            throw new IllegalStateException("the rules are not open");
        }
        return open;
    }

    private RuleLease lease() {
        RuleLease open = lease;
        if (open == null) {
            throw new IllegalStateException("the rules are not open");
        }
        return open;
    }

    /** Called by threads of the rule stream. */
    private void rulesChanged() {
        try {
            task().mailbox()
                    .execute(
                            () -> {
                                useNewestRules();
                                task().letters().accept(lease().deadLetters());
                            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the task ends and needs no newer rules", e);
        }
    }

    private void useNewestRules() {
        ServedVersion newer = lease().takeNewer();
        if (newer == null) {
            return;
        }
        boolean first = !task().pipeline().hasRules();
        task().pipeline().use(newer);
        task().counts().ruleSetInForce(newer.version());
        if (first) {
            task().rulesChanged().run();
        }
    }

    @Override
    public long needsNs(PacketBlock block) {
        return Long.MIN_VALUE; // any version will do
    }

    @Override
    public boolean knows(long timeNs) {
        return task().pipeline().hasRules();
    }

    @Override
    public String letsGo() {
        return "none are in force: publish some (sluice rules publish), and these packets are"
                + " judged";
    }

    @Override
    public void judge(PacketBlock block) throws InterruptedException {
        task().pipeline().add(block);
        task().counts().judged(block.count(), null);
    }

    @Override
    public void message(byte[] message, long timeNs) throws InterruptedException {
        RuleLease open = lease();
        if (open.message(message, timeNs)) {
            useNewestRules();
        }
        while (open.isFull()) {
            task().mailbox().runNext();
        }
    }

    @Override
    public RuleStreamState beforeBarrier() {
        RuleLease.Capture capture = lease().capture();
        task().letters().accept(capture.letters());
        return capture.state();
    }

    @Override
    public void write() {
        // all state is of the broadcast
    }

    @Override
    public void finish() throws InterruptedException {
        while (!lease().lettersComplete()) {
            task().mailbox().runNext();
        }
        task().letters().accept(lease().deadLetters());
    }

    @Override
    public RuleStreamFigures figures() {
        RuleLease open = lease;
        return open == null ? RuleStreamFigures.NONE : open.figures();
    }

    @Override
    public void close() {
        RuleLease open = lease;
        if (open != null) {
            lease = null;
            open.close();
        }
    }
}
