package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Part.View;
import dev.sluice.engine.walk.Walk.Move;
import java.util.Objects;

/**
 * Moves of the boxes of a walk's segments, and what follows from these alone: whether packets may
 * be decided behind a segment, and which boxes change no walk. Each is found once. Not thread-safe.
 */
final class SegmentMoves {
    private static final int NONE = Walk.NONE;

    private final Walk walk;

    /** Moves of the boxes of each segment, as far as they were met. */
    private final Move[][] moves;

    /** By segment, reading and doubt: whether a decision may be met; 0: not known yet. */
    private final byte[] deciding;

    /**
     * By segment and reading: 1 and the first of its boxes from which on packets go on behind it;
     * 0: not known yet.
     */
    private final int[] passed;

    private final int[] passedInDoubt;

    SegmentMoves(Walk walk) {
        this.walk = walk;
        moves = new Move[walk.segments()][];
        deciding = new byte[4 * walk.segments()];
        passed = new int[4 * walk.segments()];
        passedInDoubt = new int[4 * walk.segments()];
    }

    /** The move of a box. */
    Move of(WalkSegment segment, int box) {
        Move[] known = moves[segment.index];
        if (known == null) {
            known = segment.boxes.stream().map(walk::move).toArray(Move[]::new);
            moves[segment.index] = known;
        }
        return known[box];
    }

    /**
     * The first box of a segment from which on packets go on behind it whatever the boxes hold:
     * these call chains that decide nothing.
     *
     * @param byLower whether the lower reading walks
     * @param byUpper whether the upper one does; both may be the same
     */
    int passedFrom(WalkSegment segment, boolean byLower, boolean byUpper, boolean inDoubt) {
        int place = 4 * segment.index + (byLower ? byUpper ? 2 : 1 : 0);
        int[] from = inDoubt ? passedInDoubt : passed;
        if (from[place] == 0) {
            int box = segment.boxes.size();
            while (box > 0 && isPassed(segment, box - 1, byLower, byUpper, inDoubt)) {
                box--;
            }
            from[place] = 1 + box;
        }
        return from[place] - 1;
    }

    private boolean isPassed(
            WalkSegment segment, int box, boolean byLower, boolean byUpper, boolean doubted) {
        Move move = of(segment, box);
        boolean calls =
                move.kind() == Step.Kind.CALL || move.kind() == Step.Kind.CALL_IN_DOUBT && doubted;
        // A call at a chain's end leaves its rule as the unknown one.
        boolean returns = walk.next(segment.index) != NONE || doubted;
        boolean inDoubt = doubted || isUnknownCall(move);
        return calls
                && returns
                && !(byLower && decides(move.to(), false, inDoubt))
                && !(byUpper && decides(move.to(), true, inDoubt));
    }

    /** Returns whether a reading may decide from a segment on, before it leaves the chain. */
    private boolean decides(int at, boolean upper, boolean inDoubt) {
        if (at == NONE) {
            return false;
        }
        int place = 4 * at + (upper ? 2 : 0) + (inDoubt ? 1 : 0);
        if (deciding[place] == 0) {
            deciding[place] = (byte) (findDecision(at, upper, inDoubt) ? 1 : -1);
        }
        return deciding[place] > 0;
    }

    private boolean findDecision(int at, boolean upper, boolean inDoubt) {
        WalkSegment segment = walk.segments.get(at);
        View view = View.of(upper, inDoubt, segment.asks);
        for (int box = 0; box < segment.boxes.size(); box++) {
            if (!view.takes(Objects.requireNonNull(segment.boxes.get(box).step()))) {
                continue;
            }
            Move move = of(segment, box);
            boolean doubts = inDoubt || move.kind() == Step.Kind.CALL_IN_DOUBT;
            boolean decides =
                    switch (move.kind()) {
                        case RETURN -> false;
                        case DOUBT -> decides(walk.next(at), upper, true);
                        case GO, CALL, CALL_IN_DOUBT ->
                                decides(move.to(), upper, doubts || isUnknownCall(move))
                                        || decides(walk.next(at), upper, doubts);
                        default -> true;
                    };
            if (decides) {
                return true;
            }
        }
        return decides(walk.next(at), upper, inDoubt);
    }

    /** Tells whether it is unknown whether a call is made. */
    static boolean isUnknownCall(Move move) {
        return move.kind() == Step.Kind.CALL && move.unknown() != NONE;
    }
}
