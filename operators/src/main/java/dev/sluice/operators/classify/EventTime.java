package dev.sluice.operators.classify;

import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.stream.RuleStreamFigures;
import dev.sluice.operators.stream.RuleStreams;
import dev.sluice.operators.timeline.HistorySource;
import dev.sluice.operators.timeline.SharedTimeline;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.jspecify.annotations.Nullable;

/**
 * A subtask's part of event time: its state, its share in the timeline of the process, and what it
 * reports. Used by the mailbox thread, but for {@link #figures}.
 */
final class EventTime {
    private final HistorySource source;
    private final HistoryState state;

    /** Keyed by flow shard: the largest time of its packets so far. */
    private final ValueState<Long> largestNs;

    /** Null before {@link #open}. */
    private @Nullable SharedTimeline timeline;

    private @Nullable EventRules rules;

    /** Dead letters of the history that are to be emitted. */
    private List<DeadLetter> unreported = List.of();

    /** Versions that cannot be served, as far as they are reported. */
    private int refusalsSeen;

    /**
     * Event time with what a checkpoint held.
     *
     * @throws Exception if the state cannot be read
     */
    EventTime(StateInitializationContext context, HistorySource source) throws Exception {
        this.source = source;
        this.state = new HistoryState(context.getOperatorStateStore());
        this.largestNs =
                context.getKeyedStateStore()
                        .getState(new ValueStateDescriptor<>("largest-time", Types.LONG));
    }

    /**
     * Reads the whole history, or waits for the subtask of the process that does.
     *
     * @param key the same for all subtasks of the attempt
     * @param engine how rules are served
     * @throws Exception if the history cannot be read, or the task is cancelled meanwhile
     */
    void open(
            RuleStreams.Key key,
            TaskInfo task,
            EngineOptions engine,
            BatchPipeline.Mailbox mailbox,
            RulesTime time)
            throws Exception {
        Long restoredEnd = state.end();
        long end = restoredEnd == null ? source.end() : restoredEnd;
        SharedTimeline shared =
                SharedTimeline.acquire(
                        key,
                        new SharedTimeline.Start(
                                task.getTaskName(),
                                engine,
                                task.getIndexOfThisSubtask(),
                                source,
                                end));
        timeline = shared;
        rules = new EventRules(shared, mailbox, largestNs, time.latenessNs());
        if (restoredEnd == null) {
            state.begin(end);
            unreported = shared.malformed();
        }
    }

    private SharedTimeline timeline() {
        SharedTimeline shared = timeline;
        if (shared == null) {
            throw new IllegalStateException("the rule history is not open");
        }
        return shared;
    }

    /** As {@link EventRules#judged}. */
    PendingBlock judged(PacketBlock block, ClassifyMetrics counts) throws Exception {
        EventRules open = rules;
        if (open == null) {
            throw new IllegalStateException("the rule history is not open");
        }
        PendingBlock pending = open.judged(block);
        counts.late(open.lateCount());
        return pending;
    }

    /**
     * What is wrong with the history and its versions, each once, whatever was restored. To be
     * asked for by one subtask, and before a barrier.
     */
    List<DeadLetter> report() {
        List<DeadLetter> letters = new ArrayList<>(unreported);
        unreported = List.of();
        for (SharedTimeline.Refusal refusal : timeline().refusals(refusalsSeen)) {
            refusalsSeen++;
            if (!state.isReported(refusal.index())) {
                state.report(refusal.index());
                letters.add(refusal.letter());
            }
        }
        return letters;
    }

    /** Writes the state; nothing for all subtasks but one. */
    void write(boolean first) throws Exception {
        state.write(first);
    }

    /** Where the history stands; from any thread. */
    RuleStreamFigures figures() {
        SharedTimeline shared = timeline();
        long newest = shared.newest();
        int dropped = shared.malformed().size();
        return new RuleStreamFigures(
                newest, newest, 0, shared.refused(), dropped, 0, EngineFigures.NONE);
    }

    /** Leaves the timeline of the process. No batch of the subtask may be under way any more. */
    void close() {
        SharedTimeline shared = timeline;
        if (shared != null) {
            timeline = null;
            shared.close();
        }
    }
}
