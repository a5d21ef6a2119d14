package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.RuleTransaction;
import java.util.ArrayList;
import java.util.List;

/** A rules topic that a test gives its messages; it is read by any number of readers. */
public final class GivenTopic implements RuleSource {
    private static final long serialVersionUID = 1L;

    /** Runs before a reader reads. */
    public interface Before {
        /** May wait, or fail. */
        void read() throws Exception;
    }

    private final String id;
    private final long end;
    private final transient Before before;
    private final transient List<byte[]> messages = new ArrayList<>();
    private transient int start = Integer.MAX_VALUE;

    /**
     * A topic without messages.
     *
     * @param end as {@link #end} has it
     */
    public GivenTopic(String id, long end, Before before) {
        this.id = id;
        this.end = end;
        this.before = before;
    }

    /** A topic whose start is fixed, and given later. */
    public GivenTopic() {
        this("", 0, () -> {});
    }

    /** A topic whose start is fixed and has these messages. */
    public static GivenTopic of(List<byte[]> messages) {
        return new GivenTopic().give(messages).start();
    }

    /** A topic that nobody may read. */
    public static GivenTopic unread() {
        return new GivenTopic(
                "",
                0,
                () -> {
                    throw new AssertionError("rules are in the state: no bootstrap is due");
                });
    }

    /** Adds messages. */
    public synchronized GivenTopic give(List<byte[]> more) {
        messages.addAll(more);
        notifyAll();
        return this;
    }

    /** A job begins with the messages that were given, and not with more. */
    public synchronized GivenTopic start() {
        start = messages.size();
        notifyAll();
        return this;
    }

    @Override
    public String topic() {
        return id;
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public Range read(From from, long to, Taker taker) throws Exception {
        before.read();
        int at = 0;
        while (holds(at)) {
            hand(at++, taker);
        }
        return new Range(0, at);
    }

    @Override
    public void follow(long position, Follower follower) throws InterruptedException {
        for (int at = (int) position; ; at++) {
            hand(at, follower);
        }
    }

    /** Waits for what a place holds; whether it is a message of the start. */
    private synchronized boolean holds(int at) throws InterruptedException {
        while (at == messages.size() && at != start) {
            wait();
        }
        return at != start;
    }

    private void hand(int at, Taker taker) throws InterruptedException {
        byte[] next;
        synchronized (this) {
            while (at == messages.size()) {
                wait();
            }
            next = messages.get(at);
        }
        taker.message(next, RuleTransaction.NO_TIME, at + 1L);
    }
}
