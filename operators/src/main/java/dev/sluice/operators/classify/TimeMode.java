package dev.sluice.operators.classify;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.rules.serving.RuleStreamFigures;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.api.common.TaskInfo;

/**
 * A subtask's side of {@link RulesTime}: which rules judge a block, and from when on that is known.
 * Used by the mailbox thread, but for {@link #figures}.
 */
interface TimeMode {
    /**
     * The subtask that packets are judged for.
     *
     * @param key the same for all subtasks of the attempt that share an engine
     * @param operator name of the operator
     * @param engine how rules are served
     * @param letters emits dead letters
     * @param rulesChanged has a mail let packets go on of which the rules are known by now; called
     *     in the mailbox thread
     */
    record Task(
            VersionService.Key key,
            String operator,
            TaskInfo info,
            EngineOptions engine,
            BatchPipeline.Mailbox mailbox,
            BatchPipeline pipeline,
            ClassifyMetrics counts,
            Consumer<List<DeadLetter>> letters,
            Runnable rulesChanged) {
        /** Tells whether it is the one that writes common state and reports. */
        boolean isFirst() {
            return info.getIndexOfThisSubtask() == 0;
        }
    }

    /**
     * Begins; nothing else is called before.
     *
     * @throws Exception if the rules cannot be read, or the task is cancelled meanwhile
     */
    void open(Task task) throws Exception;

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

    /**
     * Takes a message of the broadcast.
     *
     * @param timeNs time of its record, ns since 1970 UTC, or {@link
     *     dev.sluice.operators.rules.topic.RuleTransaction#NO_TIME}
     */
    void message(byte[] message, long timeNs) throws Exception;

    /**
     * A barrier comes next: emits the dead letters of what the checkpoint holds.
     *
     * @return what it holds of the broadcast
     */
    RuleStreamState beforeBarrier();

    /** Writes the state that is not of the broadcast. */
    void write() throws Exception;

    /** No input comes any more, and nothing waits: emits the last dead letters. */
    void finish() throws Exception;

    /** Figures of the rules; from any thread. */
    RuleStreamFigures figures();

    /** Gives back what is shared. No batch of the subtask may be under way any more. */
    void close();
}
