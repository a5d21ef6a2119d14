package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;
import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
     * How far the history is followed.
     *
     * @param end where it ends for this job; of no account in a live job
     * @param live whether the topic is followed behind its end
     * @param latenessNanos how much older a packet may be than the largest time of its flow shard
     * @param idleNanos in a live job: silence of the topic after which packets wait for no rules;
     *     0: none is long enough
     */
    public record Reach(long end, boolean live, long latenessNanos, long idleNanos) {}

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

    private final RuleSource source;
    private final Reach reach;
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

    private SharedTimeline(Start start, Reach reach) {
        super(start.name());
        this.source = Objects.requireNonNull(start.source());
        this.reach = reach;
        this.follower = new HistoryFollower(name, history, reach.idleNanos, new TimelineListener());
        AtomicInteger instance = new AtomicInteger(start.instance());
        this.engines =
                new VersionEngines(
                        () -> PolicyServer.open(start.options(), instance.getAndIncrement()),
                        history,
                        ENGINES,
                        builder,
                        this::refused);
        this.forgetting =
                new Forgetting(history, follower, engines, reach.latenessNanos, LONG_HISTORY_BYTES);
    }

    /**
     * The timeline of a key, once its history is read.
     *
     * @param task hears how it goes on, until {@link #release}
     * @throws InterruptedException if the task is cancelled meanwhile
     * @throws Exception if the history cannot be read
     */
    public static SharedTimeline acquire(Key key, Start start, Reach reach, Task task)
            throws Exception {
        SharedTimeline shared =
                acquire(key, SharedTimeline.class, () -> new SharedTimeline(start, reach));
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
                source.read(
                        RuleSource.From.FIRST, reach.live ? RuleSource.ALL : reach.end, follower);
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
        } else if (reach.live) {
            LOG.warn(
                    "packets of {} wait for rules: the rules topic holds no complete snapshot yet;"
                            + " publish one",
                    name);
        } else {
            throw new IllegalStateException(
                    "the rules topic holds no complete snapshot to judge packets by; publish one"
                            + " first");
        }
        if (reach.live) {
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
            source.follow(position, follower);
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
            return source.topic();
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

    /** The versions that are kept. */
    public RecordedHistory history() {
        return history;
    }

    /** Follower of the rules topic. */
    public HistoryFollower follower() {
        return follower;
    }

    /** Figures of the timeline, without those of the engines. */
    public Figures figures() {
        int size = history.size();
        long newest = size == 0 ? -1 : history.number(size - 1);
        return new Figures(
                newest, newest, 0, refusals(0).size(), follower.dropped(), 0, EngineFigures.NONE);
    }

    /** As {@link VersionEngines#acquire}. */
    public VersionEngines.@Nullable Found acquire(int index, Runnable whenBuilt) {
        return engines.acquire(index, whenBuilt);
    }

    /** Versions that could not be served, in the order in which that was found, from one on. */
    public List<Refusal> refusals(int from) {
        synchronized (refusals) {
            return List.copyOf(refusals.subList(from, refusals.size()));
        }
    }

    /** One subtask less. No batch of it may be under way any more. */
    public void release(Task task) {
        tasks.remove(task);
        release();
    }

    @Override
    void stop() throws InterruptedException {
        Thread thread;
        synchronized (this) {
            thread = following;
        }
        if (thread != null) {
            thread.interrupt();
            thread.join();
        }
    }

    @Override
    void giveBack() {
        engines.close();
    }
}
