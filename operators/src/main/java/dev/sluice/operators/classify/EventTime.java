package dev.sluice.operators.classify;

import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.PacketTimes;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.operators.rules.serving.RuleStreamFigures;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.SharedTimeline;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version judges that was in force at the packet's own time: a subtask's state, its share in
 * the timeline of the process, and what it reports. In a live job packets wait while the rules of
 * their time are not known.
 */
final class EventTime implements TimeMode, SharedTimeline.Task {
    private static final Logger LOG = LoggerFactory.getLogger(EventTime.class);

    private static final ValueStateDescriptor<Long> LARGEST =
            new ValueStateDescriptor<>("largest-time", Types.LONG);

    private final RuleSource source;
    private final RulesTime options;
    private final HistoryState state;

    /** Keyed by flow shard: the largest time of its packets so far. */
    private final ValueState<Long> largestNs;

    /** The same of all shards of this subtask. */
    private final Map<Integer, Long> largestByShard = new HashMap<>();

    /** As of the last barrier: before the first one, other subtasks may not have begun. */
    private volatile long oldestNs = Long.MIN_VALUE;

    private @Nullable Task task;

    /** Null before {@link #open}. */
    private volatile @Nullable SharedTimeline shared;

    private @Nullable EventRules rules;

    /** Timeline that {@link #knows} looked at last. */
    private Timeline timeline = Timeline.of(new long[0], false);

    /** Behind this time packets are judged because the rules topic is silent. */
    private long saidNs = Long.MAX_VALUE;

    /** True if a mail is under way that looks at the timeline. */
    private final AtomicBoolean mailed = new AtomicBoolean();

    /** Versions that cannot be served, as far as they are reported. */
    private int refusalsSeen;

    /**
     * Event time with what a checkpoint held.
     *
     * @throws Exception if the state cannot be read
     */
    EventTime(
            StateInitializationContext context,
            KeyedStateBackend<Integer> backend,
            RuleSource source,
            RulesTime options)
            throws Exception {
        this.source = source;
        this.options = options;
        this.state = new HistoryState(context.getOperatorStateStore());
        this.largestNs = context.getKeyedStateStore().getState(LARGEST);
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                LARGEST,
                (key, largest) -> largestByShard.put(ShardKey.shard(key), largest.value()));
    }

    /** Reads the whole history, or waits for the subtask of the process that does. */
    @Override
    public void open(Task opened) throws Exception {
        task = opened;
        boolean madeAnew = state.reads(source.topic());
        if (madeAnew && opened.isFirst()) {
            LOG.warn(
                    "the rules topic of {} was made anew since its checkpoint: packets to come are judged by its history, those before its first version by its default action",
                    opened.operator());
        }
        Long restoredEnd = state.end();
        long end = restoredEnd == null ? source.end() : restoredEnd;
        SharedTimeline acquired =
                SharedTimeline.acquire(
                        opened.key(),
                        new SharedTimeline.Start(
                                opened.operator(),
                                opened.engine(),
                                opened.info().getIndexOfThisSubtask(),
                                source,
                                end,
                                options.live(),
                                options.latenessNs(),
                                options.idleNs()),
                        this);
        shared = acquired;
        rules = new EventRules(acquired, opened.mailbox(), largestNs, options.latenessNs());
        if (options.live()) {
            opened.counts().live(acquired);
        }
        opened.rulesChanged().run();
    }

    private Task task() {
        Task open = task;
        if (open == null) {
            throw new IllegalStateException("the rule history is not open");
        }
        return open;
    }

    private SharedTimeline shared() {
        SharedTimeline open = shared;
        if (open == null) {
            throw new IllegalStateException("the rule history is not open");
        }
        return open;
    }

    private EventRules rules() {
        EventRules open = rules;
        if (open == null) {
            throw new IllegalStateException("the rule history is not open");
        }
        return open;
    }

    /** Called by the thread that follows the rules. */
    @Override
    public void timelineChanged() {
        if (mailed.getAndSet(true)) {
            return;
        }
        try {
            task().mailbox()
                    .execute(
                            () -> {
                                mailed.set(false);
                                task().rulesChanged().run();
                                shared().timeline(); // fails if the rules cannot be followed
                            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the task ends and needs no other rules", e);
        }
    }

    @Override
    public long needsNs(PacketBlock block) throws Exception {
        return rules().needsNs(block);
    }

    @Override
    public boolean knows(long timeNs) {
        if (!shared().timeline().knows(timeNs)) {
            return false;
        }
        saidNs = shared().judging(timeNs);
        timeline = shared().timeline();
        return timeline.knows(timeNs);
    }

    @Override
    public String letsGo() {
        return "a heartbeat lets them go (sluice rules heartbeat)";
    }

    @Override
    public void judge(PacketBlock block) throws Exception {
        PendingBlock pending = rules().judged(block, timeline);
        ClassifyMetrics counts = task().counts();
        counts.late(rules().lateCount());
        if (options.live()) {
            counts.ahead(rules().countAfter(saidNs));
            if (rules().largestNs() != PacketTimes.NONE) {
                largestByShard.put(block.shard(), rules().largestNs());
            }
        }
        task().pipeline().add(pending);
        counts.judged(block.count(), pending.statuses);
        counts.ruleSetInForce(task().pipeline().version());
    }

    @Override
    public long oldestNs() {
        return oldestNs;
    }

    @Override
    public void message(byte[] message, long timeNs) {
        throw new IllegalStateException("in event time rules are read beside the job");
    }

    @Override
    public RuleStreamState beforeBarrier() {
        oldestNs = largestByShard.values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
        report();
        return RuleStreamState.EMPTY;
    }

    /**
     * Emits what is wrong with the history and its versions, each once, whatever was restored; by
     * one subtask.
     */
    private void report() {
        if (!task().isFirst()) {
            return;
        }
        List<DeadLetter> letters = new ArrayList<>();
        Long told = state.end();
        if (options.live() || told == null) {
            HistoryFollower.Malformed malformed = shared().malformed(told == null ? 0 : told);
            letters.addAll(malformed.letters());
            state.end(options.live() ? malformed.position() : source.end());
            state.goesOnWith(malformed.topic());
        }
        for (SharedTimeline.Refusal refusal : shared().refusals(refusalsSeen)) {
            refusalsSeen++;
            if (!state.isReported(refusal.index())) {
                state.report(refusal.index());
                letters.add(refusal.letter());
            }
        }
        task().letters().accept(letters);
    }

    @Override
    public void write() throws Exception {
        state.write(task().isFirst());
    }

    @Override
    public void finish() {
        report();
    }

    @Override
    public RuleStreamFigures figures() {
        SharedTimeline open = shared;
        return open == null ? RuleStreamFigures.NONE : open.figures();
    }

    @Override
    public void close() {
        SharedTimeline open = shared;
        if (open != null) {
            shared = null;
            open.release(this);
        }
    }
}
