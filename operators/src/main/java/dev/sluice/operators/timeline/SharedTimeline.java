package dev.sluice.operators.timeline;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.stream.RefusedVersion;
import dev.sluice.operators.stream.RuleStreams;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole rule history in this process, with engines that serve any version of it: one for each
 * attempt of a job to run an operator, shared by the operator's subtasks. The first subtask reads
 * the history; the others wait for it. It is given back after the last subtask has closed it.
 *
 * <p>Thread-safe.
 */
public final class SharedTimeline implements AutoCloseable {
    /** Engines at a time: places of the history that packets are judged at without a build. */
    private static final int ENGINES = 3;

    private static final Logger LOG = LoggerFactory.getLogger(SharedTimeline.class);

    /** What is in use; guarded by itself. */
    private static final Map<RuleStreams.Key, SharedTimeline> OPEN = new HashMap<>();

    /**
     * How a timeline begins; only the first subtask's counts, as all have the same.
     *
     * @param name of the operator, for threads and the log
     * @param options how rules are served
     * @param instance number of the first engine among those that may share devices
     * @param end where the history ends for this job
     */
    public record Start(
            String name, EngineOptions options, int instance, HistorySource source, long end) {}

    /**
     * A version that cannot be served.
     *
     * @param index its index in the history
     */
    public record Refusal(int index, DeadLetter letter) {}

    private final RuleStreams.Key key;
    private final Start start;
    private final RecordedHistory history = new RecordedHistory();
    private final List<DeadLetter> malformed = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final ExecutorService builder;

    /** Guarded by {@link #OPEN}. */
    private int users;

    // Set while the history is read; afterwards only read.
    private volatile @Nullable Timeline timeline;
    private String firstDefaultAction = RuleSet.DROP;

    private final Walkers walkers;

    private SharedTimeline(RuleStreams.Key key, Start start) {
        this.key = key;
        this.start = start;
        this.builder =
                Executors.newSingleThreadExecutor(
                        run -> {
                            Thread thread = new Thread(run, "rule builder of " + start.name);
                            thread.setDaemon(true);
                            return thread;
                        });
        AtomicInteger instance = new AtomicInteger(start.instance);
        this.walkers =
                new Walkers(
                        () -> Engine.open(start.options, instance.getAndIncrement()),
                        history,
                        ENGINES,
                        builder,
                        this::refused);
    }

    /**
     * The timeline of a key, once its history is read.
     *
     * @throws InterruptedException if the task is cancelled meanwhile
     * @throws Exception if the history cannot be read
     */
    public static SharedTimeline acquire(RuleStreams.Key key, Start start) throws Exception {
        SharedTimeline shared;
        synchronized (OPEN) {
            shared = OPEN.computeIfAbsent(key, k -> new SharedTimeline(k, start));
            shared.users++;
        }
        boolean read = false;
        try {
            shared.read();
            read = true;
        } finally {
            if (!read) {
                shared.close();
            }
        }
        return shared;
    }

    private synchronized void read() throws Exception {
        if (timeline != null) {
            return;
        }
        LOG.info("{} reads the rule history", start.name);
        boolean truncated = start.source.read(start.end, this::take);
        Timeline whole = history.timeline(truncated);
        if (whole.size() == 0) {
            throw new IllegalStateException(
                    "the rules topic holds no complete snapshot to judge packets by; publish one first");
        }
        firstDefaultAction = history.rules(0).defaultAction();
        LOG.info(
                "{} judges packets by versions {} to {} of the rules{}",
                start.name,
                history.number(0),
                history.number(whole.size() - 1),
                truncated ? "; older ones were deleted" : "");
        timeline = whole;
    }

    private void take(byte[] message, long timeNs) {
        try {
            history.accept(message, timeNs);
        } catch (MalformedMessageException e) {
            LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
            malformed.add(new DeadLetter(e.reason(), e.detail(), null, null));
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
                start.name,
                noneBefore
                        ? "neither can any before it"
                        : "the last one before it that can be judges in its place",
                why);
    }

    /** When the versions came into force. */
    public Timeline timeline() {
        Timeline whole = timeline;
        if (whole == null) {
            throw new IllegalStateException("the rule history is not read");
        }
        return whole;
    }

    /** Action of packets that are older than the first version: that version's own. */
    public String firstDefaultAction() {
        return firstDefaultAction;
    }

    /** Id of the history of the first version. */
    public String firstHistory() {
        return history.history(0);
    }

    /** Number of the newest version. */
    public long newest() {
        return history.number(history.size() - 1);
    }

    /** As {@link Walkers#acquire}. */
    public @Nullable ServedVersion acquire(int index, Runnable whenBuilt) {
        return walkers.acquire(index, whenBuilt);
    }

    /** What was malformed in the history, as read. */
    public List<DeadLetter> malformed() {
        return List.copyOf(malformed);
    }

    /** Versions that could not be served, in the order in which that was found, from one on. */
    public List<Refusal> refusals(int from) {
        synchronized (refusals) {
            return List.copyOf(refusals.subList(from, refusals.size()));
        }
    }

    /** Versions that could not be served so far. */
    public int refused() {
        synchronized (refusals) {
            return refusals.size();
        }
    }

    /**
     * One subtask less. With the last one everything is given back, by a thread of its own: nobody
     * waits for a build that is under way. No batch of the subtask may be under way any more.
     */
    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(key);
        }
        Thread closer = new Thread(this::giveBack, "end of the rule history of " + start.name);
        closer.setDaemon(true);
        closer.start();
    }

    private void giveBack() {
        builder.shutdown();
        try {
            while (!builder.awaitTermination(1, TimeUnit.MINUTES)) {
                LOG.info("a build of rules that nobody waits for is still under way");
            }
        } catch (InterruptedException e) {
            LOG.warn("the engines of {} were not given back", start.name, e);
            return;
        }
        walkers.close();
    }
}
