package dev.sluice.operators.classify;

import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.operators.rules.serving.RuleStreamState;
import dev.sluice.operators.rules.serving.SharedTimeline;
import dev.sluice.operators.rules.serving.VersionService;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version judges that was in force at the packet's own time: a subtask's state, its share in
 * the timeline of the process, and what it reports. In a live job packets wait while the rules of
 * their time are not known.
 */
final class EventTime implements TimeMode, SharedTimeline.Task {
    private static final Logger LOG = LoggerFactory.getLogger(EventTime.class);

    private final Task task;
    private final RulesTime options;
    private final HistoryState state;
    private final ShardTimes shards;
    private final RuleSource source;
    private final SharedTimeline shared;
    private final EventRules rules;

    /** As of the last barrier: before the first one, other subtasks may not have begun. */
    private volatile long oldestNs = Long.MIN_VALUE;

    /** Timeline that {@link #knows} looked at last. */
    private Timeline timeline = Timeline.of(new long[0], false);

    /** Behind this time packets are judged because the rules topic is silent. */
    private long saidNs = Long.MAX_VALUE;

    /** True if a mail is under way that looks at the timeline. */
    private final AtomicBoolean mailed = new AtomicBoolean();

    /** Versions that cannot be served, as far as they are reported. */
    private int refusalsSeen;

    /**
     * Event time with what a checkpoint held. Reads the whole history, or waits for the subtask of
     * the process that does.
     *
     * @throws Exception if the rules cannot be read, or the task is cancelled meanwhile
     */
    EventTime(Task task, RulesTime options, RuleStreamState restored, ShardTimes shards)
            throws Exception {
        this.task = task;
        this.options = options;
        this.state = new HistoryState(restored);
        this.shards = shards;
        this.source = Objects.requireNonNull(task.start().source());
        boolean madeAnew = state.reads(source.topic());
        if (madeAnew && task.isFirst()) {
            LOG.warn(
                    "the rules topic of {} was made anew since its checkpoint: packets to come are judged by its history, those before its first version by its default action",
                    task.start().name());
        }
        Long restoredEnd = state.end();
        this.shared =
                SharedTimeline.acquire(
                        task.key(),
                        task.start(),
                        new SharedTimeline.Reach(
                                restoredEnd == null ? source.end() : restoredEnd,
                                options.live(),
                                options.latenessNs(),
                                options.idleNs()),
                        this);
        this.rules = new EventRules(shared, task.mailbox(), shards, options.latenessNs());
        if (options.live()) {
            task.counts().live(shared);
        }
    }

    @Override
    public void begin() {
        task.rulesChanged().run();
    }

    /** Called by the thread that follows the rules. */
    @Override
    public void timelineChanged() {
        if (mailed.getAndSet(true)) {
            return;
        }
        task.mailbox()
                .executeIfOpen(
                        () -> {
                            mailed.set(false);
                            task.rulesChanged().run();
                            shared.timeline(); // fails if the rules cannot be followed
                        });
    }

    @Override
    public long needsNs(PacketBlock block) throws Exception {
        return rules.needsNs(block);
    }

    @Override
    public boolean knows(long timeNs) {
        if (!shared.timeline().knows(timeNs)) {
            return false;
        }
        saidNs = shared.judging(timeNs);
        timeline = shared.timeline();
        return timeline.knows(timeNs);
    }

    @Override
    public String letsGo() {
        return "a heartbeat lets them go (sluice rules heartbeat)";
    }

    @Override
    public void judge(PacketBlock block) throws Exception {
        PendingBlock pending = rules.judged(block, timeline);
        ClassifyMetrics counts = task.counts();
        counts.late(rules.lateCount());
        if (options.live()) {
            counts.ahead(rules.countAfter(saidNs));
        }
        task.pipeline().add(pending);
        counts.judged(block.count(), pending.statuses);
        counts.ruleSetInForce(task.pipeline().version());
    }

    @Override
    public long oldestNs() {
        return oldestNs;
    }

    @Override
    public void message(TimedMessage message) {
        throw new IllegalStateException("in event time rules are read beside the job");
    }

    @Override
    public RuleStreamState beforeBarrier() {
        oldestNs = shards.oldestNs();
        report();
        return state.saved();
    }

    /**
     * Emits what is wrong with the history and its versions, each once, whatever was restored; by
     * one subtask.
     */
    private void report() {
        if (!task.isFirst()) {
            return;
        }
        List<DeadLetter> letters = new ArrayList<>();
        Long told = state.end();
        if (options.live() || told == null) {
            HistoryFollower.Malformed malformed =
                    shared.follower().malformed(told == null ? 0 : told);
            letters.addAll(malformed.letters());
            state.end(options.live() ? malformed.position() : source.end());
            state.goesOnWith(malformed.topic());
        }
        for (SharedTimeline.Refusal refusal : shared.refusals(refusalsSeen)) {
            refusalsSeen++;
            if (!state.isReported(refusal.index())) {
                state.report(refusal.index());
                letters.add(refusal.letter());
            }
        }
        task.letters().accept(letters);
    }

    @Override
    public void finish() {
        report();
    }

    @Override
    public VersionService.Figures figures() {
        return shared.figures();
    }

    @Override
    public void close() {
        shared.release(this);
    }
}
