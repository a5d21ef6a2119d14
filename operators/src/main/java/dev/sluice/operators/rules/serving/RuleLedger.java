package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.history.RuleLog;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Part of the rules topic that a stream has received and followed, as a checkpoint holds it at any
 * moment: the log of what was followed, the messages of the broadcast that were not yet, and the
 * dead letters of what the log holds. A message is in the backlog until the log holds it, so it is
 * never in neither.
 *
 * <p>The backlog is bounded in bytes of heap: {@link #isFull} says when tasks are to be held up.
 * The letters are bounded in number: where no task of the process emits them, the oldest go.
 *
 * <p>Threads: the stream's thread follows and {@link #publish publishes}. What is synchronized may
 * be called by any.
 */
final class RuleLedger {
    /** Bytes of heap of messages that wait to be followed before tasks are held up. */
    private static final long MOST_BACKLOG_BYTES = 32L << 20;

    /** Bytes of heap of a message beside its own: what holds it, and heads of objects. */
    private static final int HEAD_BYTES = 96;

    /** Dead letters that wait for a task to emit them. */
    private static final int MOST_LETTERS = 10_000;

    /**
     * A message that waits to be followed.
     *
     * @param index number of the message in the broadcast, from 1; 0 if a checkpoint held it
     */
    record Received(long index, TimedMessage message) {
        /** Bytes of heap. */
        int size() {
            return HEAD_BYTES + message.message().length;
        }
    }

    // Used by the stream's thread alone.
    private final RuleLog log = new RuleLog();

    /** Id of the topic that the log is of. */
    private String topic;

    /** Id of a topic that was made anew, until the log has its rules. */
    private @Nullable String topicMadeAnew;

    /** True if another history has replaced the one that the ledger began with. */
    private boolean newHistory;

    /** True if the log says more than what is published. */
    private boolean stale;

    // Guarded by this.
    private final Deque<Received> backlog = new ArrayDeque<>();
    private final Deque<DeadLetter> letters = new ArrayDeque<>();
    private long backlogBytes;
    private long received;
    private String publishedTopic;
    private Supplier<List<byte[]>> publishedLog;

    /** A ledger that begins with the state of a checkpoint; {@link #restore} follows. */
    RuleLedger(RuleStreamState state) {
        topic = state.topic();
        publishedTopic = topic;
        publishedLog = state::log;
        for (TimedMessage message : state.backlog()) {
            add(new Received(0, message));
        }
    }

    private void add(Received message) {
        backlog.add(message);
        backlogBytes += message.size();
    }

    /**
     * Restores the log of a checkpoint, whose backlog is to be followed next.
     *
     * @return the versions to try, oldest first
     * @throws IllegalStateException if it is none
     */
    List<RuleLog.Held> restore(List<byte[]> state, int mostVersions) {
        try {
            log.restore(state);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException(
                    "the checkpoint's rules cannot be read: " + e.reason() + ": " + e.detail(), e);
        }
        stale = true;
        return log.toTry(mostVersions);
    }

    /**
     * Compares the topic of the log with the one that stands now.
     *
     * @param now its id; empty: unknown
     * @return whether it is another one: the log's topic was made anew
     */
    boolean isOfAnother(String now) {
        boolean another = !book().isEmpty() && RuleSource.isAnother(topic, now);
        if (another) {
            topicMadeAnew = now;
        } else if (!now.isEmpty()) {
            topic = now;
        }
        return another;
    }

    /** Notes that the log has what a topic made anew begins with, if it has rules of it. */
    void startReached() {
        if (topicMadeAnew != null && newHistory) {
            topic = topicMadeAnew;
            topicMadeAnew = null;
            stale = true;
        }
    }

    /**
     * Follows a message.
     *
     * @return the version that it makes; null if it makes none
     * @throws MalformedMessageException as {@link RuleLog#accept}
     */
    @Nullable Version follow(TimedMessage message) throws MalformedMessageException {
        stale = true;
        Version made = log.accept(message.message(), message.timeNs());
        newHistory |= made != null && made.newHistory();
        return made;
    }

    /** As {@link RuleLog#rewound}. */
    void rewound() {
        log.rewound();
    }

    /** The log; who changes what it says of versions calls {@link #changed}. */
    RuleLog log() {
        return log;
    }

    /** The content. */
    RuleBook book() {
        return log.book();
    }

    /** The log says something else of its versions. */
    void changed() {
        stale = true;
    }

    /**
     * Has a log that is long made shorter.
     *
     * @param inForce the version that is served; null if there is none
     * @param idle whether there is time for it
     * @param builder makes what takes long
     * @param stream runs what is to run in the stream's thread
     * @param failed hears in that thread of an error
     */
    void compact(
            RuleLog.@Nullable Held inForce,
            boolean idle,
            Executor builder,
            Executor stream,
            Consumer<Throwable> failed) {
        Supplier<Runnable> due = log.compactionDue(inForce, idle);
        if (due == null) {
            return;
        }
        builder.execute(
                () -> {
                    try {
                        Runnable made = due.get();
                        stream.execute(
                                () -> {
                                    made.run();
                                    stale = true;
                                });
                    } catch (RuntimeException | OutOfMemoryError e) {
                        stream.execute(() -> failed.accept(e));
                    }
                });
    }

    /**
     * Shows tasks what was followed.
     *
     * @param followed whether the next message of the backlog was followed, or dropped
     * @param more dead letters of what was followed
     * @return whether the backlog is full no more
     */
    boolean publish(boolean followed, List<DeadLetter> more) {
        RuleLog.State next = stale ? log.state() : null;
        stale = false;
        synchronized (this) {
            boolean wasFull = isFull();
            if (followed) {
                backlogBytes -= backlog.remove().size();
            }
            if (next != null) {
                publishedTopic = topic;
                publishedLog = next::messages;
            }
            letters.addAll(more);
            while (letters.size() > MOST_LETTERS) {
                letters.remove(); // no task of this process emits them
            }
            return wasFull && !isFull();
        }
    }

    /**
     * Takes a message that a subtask brings, unless another has brought it.
     *
     * @param number how many messages this makes that the subtask has brought
     * @return whether it was the first to bring it
     */
    synchronized boolean receive(long number, TimedMessage message) {
        if (number <= received) {
            return false;
        }
        received++;
        add(new Received(received, message));
        return true;
    }

    /** The message that is to be followed next, which stays here; null if there is none. */
    synchronized @Nullable Received next() {
        return backlog.peek();
    }

    /** Tells whether a message waits to be followed. */
    synchronized boolean hasNext() {
        return !backlog.isEmpty();
    }

    /** Tells whether so much waits to be followed that no more should come for now. */
    synchronized boolean isFull() {
        return backlogBytes > MOST_BACKLOG_BYTES;
    }

    /** The dead letters, each once. */
    synchronized List<DeadLetter> takeLetters() {
        List<DeadLetter> all = List.copyOf(letters);
        letters.clear();
        return all;
    }

    /**
     * State for a checkpoint: the last publication, and the changes that wait to be followed.
     *
     * @param taken takes the dead letters of messages that the state's log holds, if it is to have
     *     them
     */
    RuleStreamState capture(boolean withLetters, Consumer<List<DeadLetter>> taken) {
        String id;
        Supplier<List<byte[]>> followed;
        List<TimedMessage> waiting;
        List<DeadLetter> told;
        synchronized (this) {
            id = publishedTopic;
            followed = publishedLog;
            waiting = backlog.stream().map(Received::message).toList();
            told = withLetters ? takeLetters() : List.of();
        }
        taken.accept(told);
        return new RuleStreamState(id, followed.get(), waiting, List.of());
    }
}
