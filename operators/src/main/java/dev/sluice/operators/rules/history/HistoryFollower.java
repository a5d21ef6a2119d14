package dev.sluice.operators.rules.history;

import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the messages of the rules topic into a {@link RecordedHistory}, and says which versions
 * were in force when, and up to which time that is known.
 *
 * <p>It is known up to what the last heartbeat says, and before the newest version's time: later
 * versions may have that time, too, but none an earlier one. If the topic is silent for too long,
 * all times count as known until it speaks again.
 *
 * <p>Threads: messages come by one thread at a time, first by the one that reads, then by the one
 * that follows; any other may ask.
 */
public final class HistoryFollower implements RuleSource.Follower {
    /** Dead letters that wait for a task to emit them. */
    private static final int MOST_LETTERS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(HistoryFollower.class);

    /** Hears how the timeline goes on; called by the thread that brings messages. */
    public interface Listener {
        /** Other versions, or other times, are known than before. */
        void timelineChanged();

        /** Versions are in force at no time any more: another history took theirs. */
        void passedOver(int from, int end);

        /** Id of the topic that is read from now on; empty: unknown. */
        default String topicNow() {
            return "";
        }
    }

    /**
     * A fault of a message.
     *
     * @param position behind the message
     * @param again whether the topic was read again from its start before it came, so that earlier
     *     positions say nothing
     */
    private record Letter(DeadLetter letter, long position, boolean again) {}

    /**
     * Faults of messages of the topic, each once.
     *
     * @param letters of what was not told so far
     * @param position behind the last message that was taken
     * @param topic id of the topic that this is a position of, empty if it is unknown; null: the
     *     one that was there when it was begun to read
     */
    public record Malformed(List<DeadLetter> letters, long position, @Nullable String topic) {}

    private final String name;
    private final RecordedHistory history;
    private final long idleNanos;
    private final Listener listener;

    /** Timeline as the messages say it; of the thread that brings them. */
    private Timeline said = Timeline.empty(false);

    /** The last time that the messages let know. */
    private volatile long saidNs = Timeline.NOTHING_KNOWN;

    /** Timeline as tasks are to know it. */
    private volatile Timeline shown = said;

    private volatile boolean idle;

    /** Silence before the last message, if that was a heartbeat of a history that is replaced. */
    private long silentNanos;

    /** Silence since the last message. */
    private long quietNanos;

    private final AtomicLong versionsTooLate = new AtomicLong();

    // Guarded by this.
    private final Deque<Letter> letters = new ArrayDeque<>();
    private long position;

    /** True if the topic is read again from its start. */
    private boolean again;

    /** Id of the topic that is read again. */
    private @Nullable String topic;

    private long dropped;
    private long judgedToNs = Timeline.NOTHING_KNOWN;

    /**
     * A follower before the first message.
     *
     * @param name of the operator, for the log
     * @param idleNanos silence after which all times count as known; 0: none is long enough
     */
    public HistoryFollower(
            String name, RecordedHistory history, long idleNanos, Listener listener) {
        this.name = name;
        this.history = history;
        this.idleNanos = idleNanos;
        this.listener = listener;
    }

    /** Which versions were in force when, and up to which time that is known. */
    public Timeline timeline() {
        return shown;
    }

    /** Versions before the first were deleted from the topic. */
    public void truncated() {
        said = said.withoutOldest();
        show(said.knownNs());
    }

    /** No message will come any more. */
    public void end() {
        show(Timeline.ALL_KNOWN);
    }

    private void show(long knownNs) {
        said = said.knownTo(knownNs);
        saidNs = knownNs;
        shown = idle ? said.knownTo(Timeline.ALL_KNOWN) : said;
        listener.timelineChanged();
    }

    @Override
    public void message(byte[] message, long timeNs, long behind) {
        if (message.length == 0) {
            return;
        }
        boolean added = false;
        DeadLetter letter = null;
        try {
            added = history.accept(message, timeNs);
        } catch (MalformedMessageException e) {
            LOG.warn("a rule transaction was dropped: {}: {}", e.reason(), e.detail());
            letter = new DeadLetter(e, null);
        }
        boolean silent = history.endedWithOthersHeartbeat();
        boolean wasIdle = idle && !silent;
        if (wasIdle) {
            idle = false;
            sayEndOfSilence();
        }
        silentNanos = silent ? silentNanos + quietNanos : 0;
        quietNanos = 0;
        synchronized (this) {
            position = behind;
            if (letter != null) {
                dropped++;
                letters.add(new Letter(letter, behind, again));
                if (letters.size() > MOST_LETTERS) {
                    letters.remove(); // no task of this process emits them
                }
            }
        }
        if (added) {
            follow();
        }
        if (added || wasIdle || history.knownNs() != said.knownNs()) {
            show(history.knownNs());
        }
    }

    /** The history has one more version. */
    private void follow() {
        int index = history.size() - 1;
        long fromNs = history.effectiveNs(index);
        Timeline before = said;
        said = before.followedBy(fromNs, index);
        int kept = said.size() - 1;
        if (kept < before.size()) {
            listener.passedOver(before.index(kept), index);
        }
        boolean tooLate;
        long judged;
        synchronized (this) {
            judged = judgedToNs;
            tooLate = fromNs <= judged;
        }
        if (tooLate) {
            versionsTooLate.incrementAndGet();
            LOG.warn(
                    "version {} of the rules of {} is in force from {} on, but packets up to {} were judged without it, while the rules topic was silent",
                    history.number(index),
                    name,
                    EffectiveTimes.instant(fromNs),
                    EffectiveTimes.instant(judged));
        }
    }

    @Override
    public void quiet(long nanos) {
        quietNanos = nanos;
        long silence = silentNanos + nanos;
        if (idle || idleNanos == 0 || silence < idleNanos || said.size() == 0) {
            return;
        }
        idle = true;
        LOG.warn(
                "the rules topic of {} has been silent for {} s: packets are judged by version {} and wait for no other until it speaks again; sluice rules heartbeat --every 1s keeps it speaking",
                name,
                TimeUnit.NANOSECONDS.toSeconds(silence),
                history.number(history.size() - 1));
        show(said.knownNs());
    }

    private void sayEndOfSilence() {
        long judged;
        synchronized (this) {
            judged = judgedToNs;
        }
        LOG.warn(
                "the rules topic of {} speaks again after {} s: packets wait for the rules of their time again{}",
                name,
                TimeUnit.NANOSECONDS.toSeconds(silentNanos + quietNanos),
                judged <= saidNs
                        ? ""
                        : "; those up to " + EffectiveTimes.instant(judged) + " did not");
    }

    @Override
    public void rewound() {
        LOG.warn("the rules topic of {} was made anew or truncated: it is read again", name);
        history.rewound();
        String topicNow = listener.topicNow();
        synchronized (this) {
            position = 0;
            again = true;
            topic = topicNow;
        }
    }

    /** Counts the versions before a snapshot as deleted; in the thread that brings messages. */
    public void forget(int snapshot) {
        said = said.withoutBefore(snapshot);
        shown = idle ? said.knownTo(Timeline.ALL_KNOWN) : said;
    }

    /** Packets were judged by what a silent topic has said, at times that are not known. */
    public synchronized void judgedAhead(long latestNs) {
        judgedToNs = Math.max(judgedToNs, latestNs);
    }

    /** The last time that the messages let know; what tasks are shown may be later. */
    public long saidNs() {
        return saidNs;
    }

    /** Tells whether the topic has been silent for too long. */
    public boolean isIdle() {
        return idle;
    }

    /** Versions that came after packets that they should have judged. */
    public long versionsTooLate() {
        return versionsTooLate.get();
    }

    /** Transactions and messages that were malformed, so far. */
    public synchronized long dropped() {
        return dropped;
    }

    /**
     * Takes the faults that are not told so far, each once.
     *
     * @param told position up to which a run before this one has told of this topic. It says
     *     nothing of what came after the topic was read again.
     */
    public synchronized Malformed malformed(long told) {
        List<DeadLetter> unreported = new ArrayList<>();
        for (Letter letter : letters) {
            if (letter.again || letter.position > told) {
                unreported.add(letter.letter);
            }
        }
        letters.clear();
        return new Malformed(unreported, position, topic);
    }
}
