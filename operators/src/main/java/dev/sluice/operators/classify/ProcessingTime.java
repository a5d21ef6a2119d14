package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.operators.rules.serving.RuleLease;
import dev.sluice.operators.rules.serving.RuleStream;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.PacketBlock;

/**
 * The newest version that is ready judges: a subtask's lease of the rule stream of its process.
 * Packets wait for the first version alone.
 */
final class ProcessingTime implements TimeMode {
    private final Task task;
    private final RuleStream stream;
    private final RuleLease lease;

    /**
     * Processing time.
     *
     * @param restored what a checkpoint held
     */
    ProcessingTime(Task task, RuleStreamState restored) {
        this.task = task;
        this.stream = RuleStream.acquire(task.key(), task.start(), restored);
        this.lease = stream.lease(this::rulesChanged, task.isFirst());
    }

    @Override
    public void begin() {
        useNewestRules();
    }

    /** Called by threads of the rule stream. */
    private void rulesChanged() {
        task.mailbox()
                .executeIfOpen(
                        () -> {
                            useNewestRules();
                            task.letters().accept(stream.deadLetters(lease));
                        });
    }

    private void useNewestRules() {
        ServedVersion newer = stream.takeNewer(lease);
        if (newer == null) {
            return;
        }
        boolean first = !task.pipeline().hasRules();
        task.pipeline().use(newer);
        task.counts().ruleSetInForce(newer.version());
        if (first) {
            task.rulesChanged().run();
        }
    }

    @Override
    public long needsNs(PacketBlock block) {
        return Long.MIN_VALUE; // any version will do
    }

    @Override
    public boolean knows(long timeNs) {
        return task.pipeline().isReady();
    }

    @Override
    public String letsGo() {
        return "none are in force: publish some (sluice rules publish), and these packets are"
                + " judged";
    }

    @Override
    public void judge(PacketBlock block) throws InterruptedException {
        task.pipeline().add(block);
        task.counts().judged(block.count(), null);
    }

    @Override
    public void message(TimedMessage message) throws InterruptedException {
        if (stream.message(lease, message)) {
            useNewestRules();
        }
        while (stream.isFull()) {
            task.mailbox().runNext();
        }
    }

    @Override
    public RuleStreamState beforeBarrier() {
        return stream.capture(lease, task.letters());
    }

    @Override
    public void finish() throws InterruptedException {
        while (!stream.lettersComplete(lease)) {
            task.mailbox().runNext();
        }
        task.letters().accept(stream.deadLetters(lease));
    }

    @Override
    public VersionService.Figures figures() {
        return stream.figures();
    }

    @Override
    public void close() {
        stream.close(lease);
    }
}
