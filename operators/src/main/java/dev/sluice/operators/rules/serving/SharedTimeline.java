package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole rule history in this process, with engines that serve any version of it: one for each
 * attempt of a job to run an operator, shared by the operator's subtasks. The first subtask reads
 * the history; the others wait for it. In a live job a thread of its own then follows the rules
 * topic, whatever the tasks do: nothing that they hold back can hold back rules. It is given back
 * after the last subtask has closed it.
 *
 * <p>Thread-safe.
 */
public final class SharedTimeline extends VersionService {
    /** Engines at a time: places of the history that packets are judged at without a build. */
    private static final int ENGINES = 3;

    /** A history whose messages are longer forgets versions that no packet can ask for. */
    private static final long LONG_HISTORY_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(SharedTimeline.class);

    /**
     * How a timeline begins; only the first subtask's counts, as all have the same.
     *
     * @param name of the operator, for threads and the log
     * @param options how rules are served
     * @param instance number of the first engine among those that may share devices
     * @param end where the history ends for this job; of no account in a live job
     * @param live whether the topic is followed behind its end
     * @param latenessNanos how much older a packet may be than the largest time of its flow shard
     * @param idleNanos in a live job: silence of the topic after which packets wait for no rules;
     *     0: none is long enough
     */
    public record Start(
            String name,
            EngineOptions options,
            int instance,
            RuleSource source,
            long end,
            boolean live,
            long latenessNanos,
            long idleNanos) {}

    /**
     * A version that cannot be served.
     *
     * @param index its index in the history
     */
    public record Refusal(int index, DeadLetter letter) {}

    /** A subtask that judges packets by the timeline. */
    public interface Task {
        /** More times are known than before; called by any thread. */
        void timelineChanged();

        /**
         * The smallest of the largest times of the subtask's flow shards; the largest number if it
         * has none, the smallest before its first checkpoint: until then other subtasks may not
         * have begun.
         */
        long oldestNs();
    }

    private final Start start;
    private final RecordedHistory history = new RecordedHistory();
    private final HistoryFollower follower;
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<Task> tasks = new CopyOnWriteArrayList<>();

    /** Guarded by this. */
    private boolean read;

    /** The thread that follows a live history; guarded by this. */
    private @Nullable Thread following;

    private final VersionEngines engines;
    private final Forgetting forgetting;

    private SharedTimeline(Start start) {
        super(start.name);
        this.start = start;
        this.follower =
                new HistoryFollower(start.name, history, start.idleNanos, new TimelineListener());
        AtomicInteger instance = new AtomicInteger(start.instance);
        this.engines =
                new VersionEngines(
                        () -> new EngineServer(start.options, instance.getAndIncrement()),
                        history,
                        ENGINES,
                        builder,
                        this::refused);
        this.forgetting =
                new Forgetting(history, follower, engines, start.latenessNanos, LONG_HISTORY_BYTES);
    }

    /**
     * The timeline of a key, once its history is read.
     *
     * @param task hears how it goes on, until {@link #release}
     * @throws InterruptedException if the task is cancelled meanwhile
     * @throws Exception if the history cannot be read
     */
    public static SharedTimeline acquire(Key key, Start start, Task task) throws Exception {
        SharedTimeline shared = acquire(key, SharedTimeline.class, () -> new SharedTimeline(start));
        boolean read = false;
        try {
            shared.read();
            shared.tasks.add(task);
            read = true;
        } finally {
            if (!read) {
                shared.release(task);
            }
        }
        return shared;
    }

    private synchronized void read() throws Exception {
        if (read) {
            return;
        }
        LOG.info("{} reads the rule history", name);
        RuleSource.Range range =
                start.source.read(
                        RuleSource.From.FIRST, start.live ? RuleSource.ALL : start.end, follower);
        boolean truncated = range.start() > 0;
        if (truncated) {
            follower.truncated();
        }
        int size = history.size();
        if (size > 0) {
            LOG.info(
                    "{} judges packets by versions {} to {} of the rules{}",
                    name,
                    history.number(0),
                    history.number(size - 1),
                    truncated ? "; older ones were deleted" : "");
        } else if (start.live) {
            LOG.warn(
                    "packets of {} wait for rules: the rules topic holds no complete snapshot yet;"
                            + " publish one",
                    name);
        } else {
            throw new IllegalStateException(
                    "the rules topic holds no complete snapshot to judge packets by; publish one"
                            + " first");
        }
        if (start.live) {
            Thread thread = daemon(() -> follow(range.end()), "rule history of " + name);
            following = thread;
            thread.start();
        } else {
            follower.end();
        }
        read = true;
    }

    private void follow(long position) {
        try {
            start.source.follow(position, follower);
        } catch (InterruptedException e) {
            LOG.debug("nobody follows the rules of {} any more", name);
        } catch (Exception | Error e) {
            failed(e);
            tasks.forEach(Task::timelineChanged);
        }
    }

    /** Hears how the timeline goes on, in the thread that brings messages. */
    private final class TimelineListener implements HistoryFollower.Listener {
        @Override
        public void timelineChanged() {
            forgetting.forget(
                    () -> tasks.stream().mapToLong(Task::oldestNs).min().orElse(Long.MAX_VALUE));
            tasks.forEach(Task::timelineChanged);
        }

        @Override
        public void passedOver(int from, int end) {
            engines.passOver(from, end);
        }

        @Override
        public String topicNow() {
            return start.source.topic();
        }
    }

    private void refused(int index, RuntimeException reason) {
        String why = String.valueOf(reason.getMessage());
        RefusedVersion version =
                new RefusedVersion(history.number(index), history.history(index), why);
        boolean noneBefore;
        synchronized (refusals) {
            noneBefore = refusals.stream().filter(known -> known.index < index).count() == index;
            refusals.add(new Refusal(index, version.toDeadLetter()));
        }
        LOG.warn(
                "version {} of the rules of {} cannot be served, and {}: {}",
                history.number(index),
                name,
                noneBefore
                        ? "neither can any before it"
                        : "the last one before it that can be judges in its place",
                why);
    }

    /**
     * When the versions came into force, and up to which time that is known.
     *
     * @throws IllegalStateException if the topic cannot be followed any more; the task is to fail
     */
    public Timeline timeline() {
        requireFollowed();
        return follower.timeline();
    }

    /**
     * Says that packets are about to be judged. Ask for the {@link #timeline} after it.
     *
     * @param latestNs the latest time of these packets
     * @return the last time that the rules topic has let know; the packets behind it are judged
     *     because it is silent
     */
    public long judging(long latestNs) {
        long said = follower.saidNs();
        if (latestNs > said) {
            follower.judgedAhead(latestNs);
        }
        return said;
    }

    /** Action of packets that are older than the first version: that version's own. */
    public String firstDefaultAction() {
        return history.firstDefaultAction();
    }

    /** Id of the history of the first version. */
    public String firstHistory() {
        return history.firstHistory();
    }

    /** Figures of the timeline, without those of the engines. */
    public RuleStreamFigures figures() {
        int size = history.size();
        long newest = size == 0 ? -1 : history.number(size - 1);
        return new RuleStreamFigures(
                newest, newest, 0, refused(), follower.dropped(), 0, EngineFigures.NONE);
    }

    /** Tells whether packets wait for no rules, since the rules topic is silent. */
    public boolean isSilent() {
        return follower.isIdle();
    }

    /** Versions that came after packets that they should have judged. */
    public long versionsTooLate() {
        return follower.versionsTooLate();
    }

    /** Versions that are kept. */
    public int versionsKept() {
        return history.kept();
    }

    /** As {@link VersionEngines#acquire}. */
    public VersionEngines.@Nullable Found acquire(int index, Runnable whenBuilt) {
        return engines.acquire(index, whenBuilt);
    }

    /**
     * Takes the faults of messages that are not told so far.
     *
     * @param told the position up to which it is told; 0: nothing is
     */
    public HistoryFollower.Malformed malformed(long told) {
        return follower.malformed(told);
    }

    /** Versions that could not be served, in the order in which that was found, from one on. */
    public List<Refusal> refusals(int from) {
        synchronized (refusals) {
            return List.copyOf(refusals.subList(from, refusals.size()));
        }
    }

    private int refused() {
        synchronized (refusals) {
            return refusals.size();
        }
    }

    /** One subtask less. No batch of it may be under way any more. */
    public void release(Task task) {
        tasks.remove(task);
        release();
    }

    @Override
    @Nullable Thread stop() {
        Thread thread;
        synchronized (this) {
            thread = following;
        }
        if (thread != null) {
            thread.interrupt();
        }
        return thread;
    }

    @Override
    void giveBack() {
        engines.close();
    }
}
