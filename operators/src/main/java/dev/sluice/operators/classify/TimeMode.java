package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.List;
import java.util.function.Consumer;

/**
 * A subtask's side of {@link RulesTime}: which rules judge a block, and from when on that is known.
 * Used by the mailbox thread, but for {@link #figures}.
 */
interface TimeMode {
    /**
     * The subtask that packets are judged for.
     *
     * @param key the same for all subtasks of the attempt that share an engine
     * @param start of what serves rules
     * @param letters emits dead letters
     * @param rulesChanged has a mail let packets go on of which the rules are known by now; called
     *     in the mailbox thread
     */
    record Task(
            VersionService.Key key,
            VersionService.Start start,
            BatchPipeline.Mailbox mailbox,
            BatchPipeline pipeline,
            ClassifyMetrics counts,
            Consumer<List<DeadLetter>> letters,
            Runnable rulesChanged) {
        /** Tells whether it is the one that writes common state and reports. */
        boolean isFirst() {
            return start.instance() == 0;
        }
    }

    /** Begins, once all is there that the task needs. */
    void begin();

    /**
     * The time that must be known for the next block of a flow shard to be judged. The key of the
     * state is that shard.
     */
    long needsNs(PacketBlock block) throws Exception;

    /** Tells whether a time is known that {@link #needsNs} asks for. */
    boolean knows(long timeNs);

    /** Tells a user what lets packets go on that wait. */
    String letsGo();

    /**
     * Hands a block to the pipeline with the rules that judge it; may run mails. It is the one that
     * {@link #needsNs} was asked for last, and then {@link #knows}.
     */
    void judge(PacketBlock block) throws Exception;

    /** Takes a message of the broadcast. */
    void message(TimedMessage message) throws Exception;

    /**
     * A barrier comes next: emits the dead letters of what the checkpoint holds.
     *
     * @return what it holds of the rules
     */
    RuleStreamState beforeBarrier();

    /** No input comes any more, and nothing waits: emits the last dead letters. */
    void finish() throws Exception;

    /** Figures of the rules; from any thread. */
    VersionService.Figures figures();

    /** Gives back what is shared. No batch of the subtask may be under way any more. */
    void close();
}
