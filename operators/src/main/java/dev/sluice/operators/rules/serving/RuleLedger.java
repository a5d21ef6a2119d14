package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.history.RuleLog;
import dev.sluice.operators.rules.topic.TimedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Part of the broadcast that a stream has received and followed, as a checkpoint holds it at any
 * moment: the log of what was followed, the messages that were not yet, and the dead letters of
 * what the log holds. A message is in the backlog until the log holds it, so it is never in
 * neither.
 *
 * <p>The backlog is bounded in bytes of heap: {@link #isFull} says when tasks are to be held up.
 * The letters are bounded in number: where no task of the process emits them, the oldest go.
 *
 * <p>Guarded by the stream's lock.
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

    private final Deque<Received> backlog = new ArrayDeque<>();
    private final Deque<DeadLetter> letters = new ArrayDeque<>();
    private long backlogBytes;
    private long received;
    private String topic;
    private Supplier<List<byte[]>> log;

    /** A ledger that begins with the state of a checkpoint. */
    RuleLedger(RuleStreamState state) {
        topic = state.topic();
        log = state::log;
        for (TimedMessage message : state.backlog()) {
            add(new Received(0, message));
        }
    }

    private void add(Received message) {
        backlog.add(message);
        backlogBytes += message.size();
    }

    /**
     * Takes a message that a subtask brings, unless another has brought it.
     *
     * @param number how many messages this makes that the subtask has brought
     * @return whether it was the first to bring it
     */
    boolean receive(long number, TimedMessage message) {
        if (number <= received) {
            return false;
        }
        received++;
        add(new Received(received, message));
        return true;
    }

    /** The message that is to be followed next, which stays here; null if there is none. */
    @Nullable Received next() {
        return backlog.peek();
    }

    /** Tells whether a message waits to be followed. */
    boolean hasNext() {
        return !backlog.isEmpty();
    }

    /** The next message was followed, or dropped: the log and the letters hold what comes of it. */
    void followed() {
        backlogBytes -= backlog.remove().size();
    }

    /** Tells whether so much waits to be followed that no more should come for now. */
    boolean isFull() {
        return backlogBytes > MOST_BACKLOG_BYTES;
    }

    /** Notes the log that brings another stream to where this one is. */
    void log(String id, RuleLog.State state) {
        topic = id;
        log = state::messages;
    }

    /** Keeps dead letters for a task to emit. */
    void addLetters(List<DeadLetter> more) {
        letters.addAll(more);
        while (letters.size() > MOST_LETTERS) {
            letters.remove(); // no task of this process emits them
        }
    }

    /** The dead letters, each once. */
    List<DeadLetter> takeLetters() {
        List<DeadLetter> all = List.copyOf(letters);
        letters.clear();
        return all;
    }

    /** State for a checkpoint; to be put together without the lock. */
    Supplier<RuleStreamState> state() {
        Supplier<List<byte[]>> then = log;
        List<TimedMessage> waiting = backlog.stream().map(Received::message).toList();
        String id = topic;
        return () -> new RuleStreamState(id, then.get(), waiting);
    }
}
