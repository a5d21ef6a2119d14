package dev.sluice.job.connections;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Judges packets in their order by a policy that asks for the state of connections, and enters the
 * connections of those that it lets through. The package text has the procedure.
 *
 * <p>A packet that depends, or does not come to the policy, counts as let through. Not thread-safe.
 */
public final class StatefulJudge {
    /** Packets whose connections are loaded together. */
    private static final int TOGETHER = 32;

    private static final int PRESENT = Field.CONNECTION_PRESENT.maskInWord();

    private final ConnectionTracker tracker;
    private final LookUp rules;
    private final int earlierStages;
    private final boolean[] denies;
    private final boolean[] depends;
    private final TrackedPacket[] packets = new TrackedPacket[TOGETHER];
    private final PacketTuple[] tuples = new PacketTuple[TOGETHER];
    private final FragmentStates fragments = new FragmentStates();

    /** The bits of the word of the state that rules ask for. */
    private final int asked;

    private final int[][] guesses = new int[TrackedPacket.GUESSES][];
    private final VerdictBatch[] guessed = new VerdictBatch[TrackedPacket.GUESSES];

    /** The guesses that the batch was looked up under. */
    private final boolean[] known = new boolean[TrackedPacket.GUESSES];

    private final VerdictBatch found;
    private final HeaderBatch one;
    private final int position;
    private long doubtful;
    private long answering;

    /** Looks headers up. */
    public interface LookUp {
        /**
         * Returns the verdict of each header.
         *
         * @return valid until the next call
         */
        VerdictBatch of(HeaderBatch headers);
    }

    /**
     * A judge without connections.
     *
     * @param policy its boxes and all else
     * @param answers the rules that verdicts name
     * @param layout the words that the rules look at
     * @param capacity most headers of a batch
     */
    public StatefulJudge(
            TrackerOptions options,
            RuleSet policy,
            RuleSet answers,
            LookUp rules,
            HeaderLayout layout,
            int earlierStages,
            int capacity) {
        tracker = new ConnectionTracker(options);
        this.rules = rules;
        this.earlierStages = earlierStages;
        position = layout.position(HeaderWord.CONNECTION);
        asked = position < 0 ? 0 : asked(policy);
        denies = are(answers, VerdictOutcome.DENY);
        depends = are(answers, VerdictOutcome.DEPENDS);
        for (int i = 0; i < TOGETHER; i++) {
            packets[i] = new TrackedPacket();
            tuples[i] = packets[i].tuple;
        }
        for (int turn = 0; turn < TrackedPacket.GUESSES; turn++) {
            guesses[turn] = new int[capacity];
            guessed[turn] = new VerdictBatch(capacity);
        }
        found = guessed[0];
        one = new HeaderBatch(layout, 1);
    }

    /** The bits of the word of the connection's state that rules ask for; 0: they ask for none. */
    public static int asked(RuleSet policy) {
        return policy.rules().stream()
                .mapToInt(rule -> rule.match().mask(HeaderWord.CONNECTION))
                .reduce(0, (some, more) -> some | more);
    }

    /** The header words that are read only where asked for, and tell a packet's connection. */
    public static long wordBits() {
        return TrackedPacket.ASKED;
    }

    private static boolean[] are(RuleSet answers, VerdictOutcome outcome) {
        boolean[] are = new boolean[answers.size()];
        IntStream.range(0, are.length).forEach(i -> are[i] = answers.outcome(i) == outcome);
        return are;
    }

    /**
     * Judges the packets that come next.
     *
     * @param headers the words that the rules look at; that of the state is written
     * @param flows the same packets, with all words that captures state, packet by packet
     * @param times of the packets, in ns
     * @param states takes the state of each, as {@link ConnectionTracker} tells it
     * @return the verdicts; valid until the next call
     */
    public VerdictBatch judge(HeaderBatch headers, int[] flows, long[] times, int[] states) {
        int count = headers.size();
        for (int i = 0; i < count; i++) {
            packets[0].read(flows, i);
            for (int turn = 0; turn < TrackedPacket.GUESSES; turn++) {
                guesses[turn][i] = word(packets[0].guess(turn));
            }
        }
        Arrays.fill(known, false);
        lookUp(headers, 0);
        for (int from = 0; from < count; from += TOGETHER) {
            int some = Math.min(TOGETHER, count - from);
            for (int i = 0; i < some; i++) {
                packets[i].read(flows, from + i);
            }
            tracker.load(tuples, some);
            for (int i = 0; i < some; i++) {
                int at = from + i;
                int state = packets[i].state(tracker, fragments, times[at]);
                states[at] = state;
                answer(headers, at, word(state));
                decided(state, found.rule(at));
            }
        }
        return found;
    }

    /** Finds the verdict on a header in a state. */
    private void answer(HeaderBatch headers, int at, int word) {
        for (int turn = 0; turn < TrackedPacket.GUESSES; turn++) {
            if (((word ^ guesses[turn][at]) & asked) == 0) {
                if (!known[turn]) {
                    lookUp(headers, turn);
                }
                if (turn > 0) {
                    copy(guessed[turn], at, at);
                }
                return;
            }
        }
        copy(lookUp(headers, at, word), 0, at);
    }

    private void decided(int state, int rule) {
        if (state == ConnectionTracker.UNKNOWN) {
            return;
        }
        if ((state & ConnectionTracker.REPLY) != 0) {
            answering++;
        } else if ((state & ConnectionTracker.NEW) != 0) {
            if (rule == VerdictBatch.MISS || !depends[rule]) {
                tracker.decided(rule == VerdictBatch.MISS || !denies[rule]);
            } else {
                long before = tracker.counts().created();
                tracker.decided(true);
                doubtful += tracker.counts().created() - before;
            }
        }
    }

    private static int word(int state) {
        return state == ConnectionTracker.UNKNOWN ? 0 : PRESENT | state;
    }

    private void lookUp(HeaderBatch headers, int turn) {
        int count = headers.size();
        int[] words = guesses[turn];
        VerdictBatch to = guessed[turn];
        known[turn] = true;
        if (position >= 0) {
            System.arraycopy(words, 0, headers.words(), position * headers.capacity(), count);
        }
        VerdictBatch verdicts = rules.of(headers);
        System.arraycopy(verdicts.rules(), 0, to.rules(), 0, count);
        for (int stage = 0; stage < earlierStages; stage++) {
            System.arraycopy(verdicts.earlier(stage), 0, to.earlier(stage), 0, count);
        }
    }

    private VerdictBatch lookUp(HeaderBatch headers, int at, int word) {
        for (int p = 0; p < headers.layout().size(); p++) {
            one.words()[p] = headers.word(p, at);
        }
        one.words()[position] = word;
        one.size(1);
        return rules.of(one);
    }

    private void copy(VerdictBatch from, int row, int to) {
        found.rules()[to] = from.rule(row);
        for (int stage = 0; stage < earlierStages; stage++) {
            found.earlier(stage)[to] = from.earlier(stage)[row];
        }
    }

    /** Counts since the judge was made. */
    public ConnectionSum sum() {
        return new ConnectionSum(tracker.counts(), doubtful, answering);
    }
}
