package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.Walk.Stage;
import dev.sluice.engine.walk.Walk.Way;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Walker of packets, one after the other, through a policy. Not thread-safe. */
public final class Walker {
    private static final int NONE = Walk.NONE;

    /** Moves of a packet in the parts of a walk. */
    public interface Found {
        /** The move of the first box of a part that holds the packet; null: none does. */
        @Nullable Move in(int part);
    }

    private final Walk walk;
    private final Found found;

    /** Calls that the walk is in: the segment behind each, twice, and 1 more if in doubt. */
    private int[] back = new int[8];

    // The last decision.
    private int rule;
    private boolean permits;
    private int unknown;

    // Decisions about the packet so far.
    private boolean mayPass;
    private boolean mayFail;
    private int permitting;
    private int denying;
    private int asking;
    private int first;
    private boolean sure;

    /** A walker. */
    public Walker(Walk walk, Found found) {
        this.walk = walk;
        this.found = found;
    }

    /**
     * The answer to a packet.
     *
     * @return its position in {@link Walk#answers}; {@link VerdictBatch#MISS}: the packet does not
     *     come to the policy
     */
    public int answer() {
        mayPass = false;
        mayFail = false;
        permitting = NONE;
        denying = NONE;
        asking = NONE;
        first = NONE;
        sure = true;
        for (int i = 0; i < walk.ways.size(); i++) {
            Way way = walk.ways.get(i);
            if (way.judges() == null || permits(way.judges(), false)) {
                add(way);
            }
        }
        if (!mayPass && !mayFail) {
            return VerdictBatch.MISS;
        }
        if (mayPass && mayFail) {
            sure = false;
            return walk.depends(asking == NONE ? permitting : asking);
        }
        return walk.answer(mayPass ? permitting : denying);
    }

    /**
     * Returns whether the last answer's rule decides whatever unknown conditions are; else another
     * rule of the same outcome may come first.
     */
    public boolean isSure() {
        return sure;
    }

    private void add(Way way) {
        Stage skips = way.skips();
        boolean tracks = true;
        if (skips != null) {
            if (permits(skips, true)) {
                add(way.untracked());
            }
            tracks = !permits(skips, false);
        }
        for (int i = 0; tracks && i < way.states().length; i++) {
            add(way.states()[i]);
        }
    }

    /** Adds the decisions of both readings of stages. */
    private void add(Stage[] stages) {
        decide(stages, false);
        int lower = rule;
        int lowerUnknown = unknown;
        boolean lowerPermits = permits;
        decide(stages, true);
        if (lower == NONE && rule == NONE) {
            return; // the packet comes to none of the stages
        }
        first = first == NONE ? lower : first;
        sure &= first == lower && first == rule && lowerUnknown == NONE && unknown == NONE;
        if (lowerPermits) {
            permitting = permitting == NONE ? lower : permitting;
        } else {
            mayFail = true;
        }
        if (permits) {
            mayPass = true;
        } else {
            denying = denying == NONE ? rule : denying;
        }
        if (asking == NONE && lowerPermits != permits) {
            int some = lowerUnknown == NONE ? unknown : lowerUnknown;
            asking = some == NONE ? lower : some;
        }
    }

    private void decide(Stage[] stages, boolean upper) {
        rule = NONE;
        unknown = NONE;
        for (Stage stage : stages) {
            if (!permits(stage, upper)) {
                return;
            }
        }
    }

    /** Walks through a stage as a packet does, and notes the rule that decides. */
    private boolean permits(Stage stage, boolean upper) {
        int depth = 0;
        int at = stage.first();
        boolean inDoubt = false;
        int before = unknown;
        unknown = NONE;
        while (true) {
            if (at == NONE) {
                if (depth == 0) {
                    rule = stage.end();
                    permits = stage.permits();
                    return permits;
                }
                inDoubt = (back[--depth] & 1) != 0;
                at = back[depth] >> 1;
                if (!inDoubt) {
                    unknown = NONE;
                }
                continue;
            }
            int part = walk.part(at, upper, inDoubt);
            Move move = part == NONE ? null : found.in(part);
            if (move == null) {
                at = walk.next(at);
                continue;
            }
            switch (move.kind()) {
                case RETURN -> at = NONE;
                case GO -> at = move.to();
                case DOUBT -> {
                    note(move);
                    at = walk.next(at);
                    inDoubt = true;
                }
                case CALL, CALL_IN_DOUBT -> {
                    note(move);
                    boolean doubts = move.kind() == Step.Kind.CALL_IN_DOUBT;
                    int behind = walk.next(at);
                    if (behind != NONE) {
                        depth = push(depth, 2 * behind + (inDoubt || doubts ? 1 : 0));
                    }
                    inDoubt |= doubts || move.unknown() != NONE;
                    at = move.to();
                }
                default -> {
                    note(move);
                    permits = move.permits();
                    if (move.rule() == NONE && permits) {
                        unknown = before; // the packet does not come to the stage
                    } else {
                        rule = move.rule();
                    }
                    return permits;
                }
            }
        }
    }

    private void note(Move move) {
        unknown = unknown == NONE ? move.unknown() : unknown;
    }

    private int push(int depth, int behind) {
        if (depth == back.length) {
            back = Arrays.copyOf(back, 2 * depth);
        }
        back[depth] = behind;
        return depth + 1;
    }
}
