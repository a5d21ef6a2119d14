package dev.sluice.operators.connections;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges packets in their order by a policy that asks for the state of connections, and enters the
 * connections of those that it lets through. The package text has the procedure.
 *
 * <p>A batch goes through {@link #begin}, a look-up by the caller, and {@link #judge} for each row
 * of its packets that has connections of its own. A packet that depends, or does not come to the
 * policy, counts as let through. Not thread-safe.
 */
public final class StatefulJudge {
    /** Number of words of a packet in {@code flows}: all that captures may state. */
    public static final int WORDS = TrackedPacket.WORDS;

    /** Packets whose connections are loaded together. */
    private static final int TOGETHER = 32;

    /** Packets that are looked up together when the first one needs a guess behind the first. */
    private static final int FIRST_WINDOW = 64;

    private static final int PRESENT = Field.CONNECTION_PRESENT.maskInWord();

    /** The word of a packet that begins a connection. */
    private static final int BEGINNING =
            PRESENT | ConnectionTracker.TRACKED | ConnectionTracker.NEW;

    private static final int SYN = 2;

    /** The word that asks whether packets come to the tracker. */
    private static final int ASKS = PRESENT | Field.CONNECTION_ASKED.maskInWord();

    private final TrackedPacket[] packets = new TrackedPacket[TOGETHER];
    private final PacketTuple[] tuples = new PacketTuple[TOGETHER];

    /** The guess of packets that are judged as if they began their connection, which is open. */
    private static final int ANEW = TrackedPacket.GUESSES;

    private static final int WINDOWS = ANEW + 1;

    /** The packets' first guesses. */
    private final int[] guesses;

    /** Windows of the guesses behind the first, whose verdicts the caller has. */
    private final Window[] windows = new Window[WINDOWS];

    /** Verdicts of the windows' packets. */
    private final VerdictBatch[] guessed = new VerdictBatch[WINDOWS];

    /** Packets of the batch that rules drop or exempt before connections are tracked. */
    private final boolean[] skipped;

    /** A packet that is not judged yet. */
    private final TrackedPacket ahead = new TrackedPacket();

    private final VerdictBatch ofOne = new VerdictBatch(1);
    private HeaderBatch copies = new HeaderBatch(HeaderLayout.ofWordBits(0), 1);
    private @Nullable ServedVersion rules;
    private @Nullable HeaderBatch headers;
    private int[] flows = {};

    /** The bits of the word of the state that rules ask for. */
    private int asked;

    /** Place of that word in the layout. */
    private int position;

    /** Packets one behind the other that were looked up under one guess. */
    private static final class Window {
        private int start;
        private int end;

        /** Number of packets of the next one. */
        private int next;
    }

    /**
     * A judge of batches.
     *
     * @param capacity most headers of a batch
     */
    public StatefulJudge(int capacity) {
        for (int i = 0; i < TOGETHER; i++) {
            packets[i] = new TrackedPacket();
            tuples[i] = packets[i].tuple;
        }
        for (int turn = 1; turn < WINDOWS; turn++) {
            windows[turn] = new Window();
            guessed[turn] = new VerdictBatch(capacity);
        }
        guesses = new int[capacity];
        skipped = new boolean[capacity];
    }

    /** The bits of the word of the connection's state that rules ask for; 0: they ask for none. */
    public static int asked(List<Rule> policy) {
        return policy.stream()
                .mapToInt(rule -> rule.match().mask(HeaderWord.CONNECTION))
                .reduce(0, (some, more) -> some | more);
    }

    /** The header words that are read only where asked for, and tell a packet's connection. */
    public static long wordBits() {
        return TrackedPacket.ASKED;
    }

    /** The header words that tell a packet's connection. */
    public static long flowBits() {
        return TrackedPacket.READ;
    }

    /** The header word of a state; 0: it is unknown. */
    public static int word(int state) {
        return state == ConnectionTracker.UNKNOWN ? 0 : PRESENT | state;
    }

    /** The state of a header word. */
    public static int state(int word) {
        return word == 0 ? ConnectionTracker.UNKNOWN : word & ~PRESENT;
    }

    /**
     * Begins with a batch: writes the states that its packets suggest into their headers. Then the
     * caller looks it up.
     *
     * @param by rules; where none asks for the state of connections, no state is written
     * @param batch the words that the rules look at
     * @param words {@link #WORDS} words of each packet, packet by packet, of which those of {@link
     *     #flowBits} are read; not changed before the last packet is judged
     */
    public void begin(ServedVersion by, HeaderBatch batch, int[] words) {
        rules = by;
        headers = batch;
        flows = words;
        asked = by.connectionBits();
        position = batch.layout().position(HeaderWord.CONNECTION);
        findSkipped(by, batch);
        for (int i = 0; i < batch.size(); i++) {
            ahead.look(words, i);
            guesses[i] = guess(ahead, 0, i);
        }
        if (position >= 0) {
            System.arraycopy(guesses, 0, batch.words(), position * batch.capacity(), batch.size());
        }
        for (int turn = 1; turn < WINDOWS; turn++) {
            windows[turn].end = 0;
            windows[turn].next = FIRST_WINDOW;
        }
    }

    private int guess(TrackedPacket packet, int turn, int at) {
        return word(skipped[at] ? ConnectionTracker.UNTRACKED : packet.guess(turn));
    }

    /**
     * Finds the packets that do not come to the tracker: those that come to the policy, but not if
     * they ask for it. A packet of which this is unknown is tracked.
     */
    private void findSkipped(ServedVersion by, HeaderBatch batch) {
        Arrays.fill(skipped, false);
        if ((asked & Field.CONNECTION_ASKED.maskInWord()) == 0) {
            return;
        }
        int from = position * batch.capacity();
        Arrays.fill(batch.words(), from, from + batch.size(), ASKS);
        VerdictBatch answers = guessed[1];
        by.submit(batch, answers).await();
        for (int i = 0; i < batch.size(); i++) {
            skipped[i] = answers.rule(i) == VerdictBatch.MISS;
        }
    }

    /**
     * Judges packets of the batch, those before them being judged.
     *
     * @param connections of these packets
     * @param start the first of them
     * @param end the one behind the last
     * @param times of the packets, in ns
     * @param states takes the state of each, as {@link ConnectionTracker} tells it
     * @param found verdicts under the guesses; takes the right ones
     */
    public void judge(
            Connections connections,
            int start,
            int end,
            long[] times,
            int[] states,
            VerdictBatch found) {
        ServedVersion by = Objects.requireNonNull(rules);
        HeaderBatch all = Objects.requireNonNull(headers);
        connections.judgedBy(by.version());
        for (int from = start; from < end; from += TOGETHER) {
            int some = Math.min(TOGETHER, end - from);
            for (int i = 0; i < some; i++) {
                packets[i].read(flows, from + i);
                connections.measure(tuples[i], from + i);
                if (connections.windows) {
                    packets[i].segment(flows, from + i);
                }
            }
            connections.tracker.load(tuples, some);
            for (int i = 0; i < some; i++) {
                int at = from + i;
                boolean skips = skipped[at] && found.rule(at) != VerdictBatch.MISS;
                int state =
                        skips
                                ? packets[i].untracked(connections)
                                : packets[i].state(connections, times[at]);
                states[at] = state;
                if (connections.isJudgedAnew()) {
                    answer(by, all, at, ANEW, found);
                } else if (((word(state) ^ guesses[at]) & asked) != 0) {
                    answer(by, all, at, packets[i], word(state), found);
                }
                int rule = found.rule(at);
                boolean begins = (state & ConnectionTracker.NEW) != 0;
                connections.decided(
                        at, state, rule, begins ? by.outcome(rule) : VerdictOutcome.NONE);
            }
        }
    }

    /** Finds the verdict on a header in another state than the first guess. */
    private void answer(
            ServedVersion by,
            HeaderBatch all,
            int at,
            TrackedPacket packet,
            int word,
            VerdictBatch found) {
        for (int turn = 1; turn < TrackedPacket.GUESSES; turn++) {
            if (((word ^ guess(packet, turn, at)) & asked) == 0) {
                answer(by, all, at, turn, found);
                return;
            }
        }
        take(all, at, 1);
        copies.words()[position * copies.capacity()] = word;
        by.submit(copies, ofOne).await();
        copy(by, ofOne, 0, found, at);
    }

    /** Takes the verdict on a header under a guess behind the first. */
    private void answer(ServedVersion by, HeaderBatch all, int at, int turn, VerdictBatch found) {
        Window window = windows[turn];
        if (at >= window.end) {
            lookUp(by, all, turn, at);
        }
        copy(by, guessed[turn], at - window.start, found, at);
    }

    /** Looks packets up under a guess: twice as many as the last time in this batch. */
    private void lookUp(ServedVersion by, HeaderBatch all, int turn, int at) {
        Window window = windows[turn];
        int count = Math.min(window.next, all.size() - at);
        window.next *= 2;
        window.start = at;
        window.end = at + count;
        take(all, at, count);
        int to = position * copies.capacity();
        int flags = copies.layout().position(HeaderWord.TCP_FLAGS) * copies.capacity();
        for (int i = 0; i < count; i++) {
            ahead.look(flows, at + i);
            copies.words()[to + i] = turn == ANEW ? BEGINNING : guess(ahead, turn, at + i);
            if (turn == ANEW && ahead.isTcp() && flags >= 0) {
                int before = copies.words()[flags + i];
                copies.words()[flags + i] = before & ~Field.TCP_FLAGS.maskInWord() | SYN;
            }
        }
        by.submit(copies, guessed[turn]).await();
    }

    /** Copies headers. */
    private void take(HeaderBatch all, int from, int count) {
        if (!copies.layout().equals(all.layout()) || copies.capacity() < all.capacity()) {
            copies = new HeaderBatch(all.layout(), all.capacity());
        }
        for (int p = 0; p < all.layout().size(); p++) {
            System.arraycopy(
                    all.words(),
                    p * all.capacity() + from,
                    copies.words(),
                    p * copies.capacity(),
                    count);
        }
        copies.size(count);
    }

    private static void copy(
            ServedVersion by, VerdictBatch from, int row, VerdictBatch found, int to) {
        found.rules()[to] = from.rule(row);
        for (int stage = 0; stage < by.earlierStages(); stage++) {
            found.earlier(stage)[to] = from.earlier(stage)[row];
        }
    }
}
