package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Part.View;
import dev.sluice.engine.walk.RegionList.Steps;
import dev.sluice.engine.walk.RegionList.TooLargeException;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.WalkWays.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Both readings of stages for regions of packets instead of a batch. Where a box holds some packets
 * of a region, these go on as a region of their own before the others do: what comes of the regions
 * is a first-match list. Packets that leave a called chain undecided go on with those that were not
 * called, where nothing tells the two apart. Not thread-safe.
 */
final class RegionWalk {
    private static final int NONE = Walk.NONE;

    /** Most regions that wait for one another: walks recurse. */
    private static final int MOST_DEPTH = 300;

    private final Walk walk;

    private final SegmentMoves moves;
    private final Steps steps;
    private int depth;

    /**
     * Chain that was called.
     *
     * @param behind segment where packets go on that leave it
     */
    private record Call(int behind, boolean inDoubt, @Nullable Call outer) {}

    /** Region of packets, and where they are. */
    private record Exit(Match region, Reading lower, Reading upper) {
        /** Returns whether packets that were not called are in the same state. */
        boolean isLike(Reading otherLower, Reading otherUpper) {
            return lower.isAtLike(otherLower) && upper.isAtLike(otherUpper);
        }
    }

    /**
     * Call whose regions are gathered.
     *
     * @param from where the packets came from, in the reading that walks
     * @param ofUpper whether that is the upper one alone
     */
    private record Gathering(@Nullable Call from, boolean ofUpper, List<Exit> exits) {
        boolean takes(Match region, Reading lower, Reading upper) {
            Reading reading = ofUpper ? upper : lower;
            if (!reading.settled && !Objects.equals(reading.outer, from)) {
                return false;
            }
            exits.add(new Exit(region, lower, upper));
            return true;
        }

        /**
         * Leaves to the packets that were not called those that are in the same state, unless a
         * region behind holds some of them, too; returns whether none is left to them.
         */
        boolean leave(Reading otherLower, Reading otherUpper, Steps steps) {
            int before = exits.size();
            for (int i = exits.size() - 1; i >= 0; i--) {
                steps.add(1);
                Exit exit = exits.get(i);
                if (exit.isLike(otherLower, otherUpper)
                        && exits.subList(i + 1, exits.size()).stream()
                                .noneMatch(
                                        behind -> {
                                            steps.add(1);
                                            return behind.region.meets(exit.region);
                                        })) {
                    exits.remove(i);
                }
            }
            return exits.size() == before;
        }
    }

    /** State of a reading of a region's packets. */
    static final class Reading {
        private int at;
        private int box;
        private boolean inDoubt;
        private @Nullable Call outer;
        private boolean settled;
        private int before = NONE;

        /** Rules that let the packets pass in stages before the one that decides. */
        List<Integer> earlier = List.of();

        /** Number of the first of these rules before which nothing unknown stood. */
        private int sure;

        int rule = NONE;
        int unknown = NONE;
        boolean permits = true;

        private Reading copy() {
            Reading copy = new Reading();
            copy.at = at;
            copy.box = box;
            copy.inDoubt = inDoubt;
            copy.outer = outer;
            copy.settled = settled;
            copy.before = before;
            copy.earlier = earlier;
            copy.sure = sure;
            copy.rule = rule;
            copy.unknown = unknown;
            copy.permits = permits;
            return copy;
        }

        private void go(int to) {
            at = to;
            box = 0;
        }

        private void enter(Stage stage) {
            before = unknown;
            unknown = NONE;
            settled = false;
            inDoubt = false;
            outer = null;
            go(stage.first());
        }

        private void decided(int by) {
            if (rule != NONE) {
                sure += before == NONE && sure == earlier.size() ? 1 : 0;
                List<Integer> more = new ArrayList<>(earlier);
                more.add(rule);
                earlier = List.copyOf(more);
            }
            rule = by;
        }

        /** The first of some rules by which this reading passes, too, whatever is unknown. */
        List<Integer> shared(List<Integer> rules) {
            int alike = 0;
            while (alike < Math.min(sure, rules.size())
                    && rules.get(alike).equals(earlier.get(alike))) {
                alike++;
            }
            return rules.subList(0, alike);
        }

        private boolean isAtLike(Reading other) {
            return at == other.at
                    && box == other.box
                    && inDoubt == other.inDoubt
                    && settled == other.settled
                    && before == other.before
                    && Objects.equals(outer, other.outer)
                    && isLike(other);
        }

        private boolean isLike(Reading other) {
            return rule == other.rule
                    && unknown == other.unknown
                    && permits == other.permits
                    && sure == other.sure
                    && earlier.equals(other.earlier);
        }
    }

    /** Regions whose packets have come to the end of the stages. */
    private record Found<V>(RegionList<V> list, BiFunction<Reading, Reading, V> value) {
        void add(Match region, Reading lower, Reading upper) {
            list.add(region, value.apply(lower, upper));
        }
    }

    RegionWalk(Walk walk, Steps steps) {
        this.walk = walk;
        this.steps = steps;
        moves = new SegmentMoves(walk);
    }

    /**
     * Walks all packets through stages.
     *
     * @param value what both readings of a region tell
     * @throws TooLargeException if that takes more steps than it may
     */
    <V> RegionList<V> decide(BiFunction<Reading, Reading, V> value, Stage... stages) {
        Found<V> found = new Found<>(new RegionList<>(steps), value);
        Reading both = new Reading();
        both.enter(stages[0]);
        walk(stages, 0, new Match.Builder().build(), both, both, found, null);
        found.list.reduce(0);
        return found.list.withoutCovered();
    }

    private void walk(
            Stage[] stages,
            int stage,
            Match region,
            Reading lower,
            Reading upper,
            Found<?> found,
            @Nullable Gathering call) {
        if (++depth > MOST_DEPTH) {
            throw new TooLargeException();
        }
        int at = stage;
        Reading higher = upper;
        while (true) {
            if (call != null && call.takes(region, lower, higher)) {
                break;
            }
            Reading reading = lower.settled ? higher : lower;
            if (!reading.settled) {
                if (through(stages, at, region, lower, higher, found, call)) {
                    break;
                }
                continue;
            }
            boolean passes = lower.permits || higher.permits;
            if (++at == stages.length || !passes) {
                found.add(region, lower, higher);
                break;
            }
            higher = lower.isLike(higher) ? lower : higher;
            for (Reading one : higher == lower ? List.of(lower) : List.of(lower, higher)) {
                if (one.permits) {
                    one.enter(stages[at]);
                }
            }
        }
        depth--;
    }

    /** Walks on through a segment; true: regions of their own have taken all packets. */
    private boolean through(
            Stage[] stages,
            int stage,
            Match region,
            Reading lower,
            Reading upper,
            Found<?> found,
            @Nullable Gathering call) {
        boolean alike = lower == upper;
        Reading reading = lower.settled ? upper : lower;
        if (reading.at == NONE) {
            leave(reading, stages[stage]);
            return false;
        }
        WalkSegment segment = walk.segments.get(reading.at);
        while (reading.box < segment.boxes.size()) {
            steps.add(1);
            if (isPassedBy(segment, lower, upper)) {
                break;
            }
            int box = reading.box++;
            Rule rule = segment.boxes.get(box);
            boolean byLower = reading == lower && view(lower, false, segment).takes(step(rule));
            boolean byUpper = reading == upper && view(upper, true, segment).takes(step(rule));
            Match both = byLower || byUpper ? region.and(rule.match()) : null;
            if (both == null) {
                continue;
            }
            Reading low = lower.copy();
            Reading high = alike && byLower == byUpper ? low : upper.copy();
            Reading moved = byLower ? low : high;
            move(moved, moves.of(segment, box), stages[stage]);
            if (low == high && low.inDoubt) { // where readings are never alike
                high = low.copy();
            }
            boolean last = reading.box == segment.boxes.size();
            if (last && isCalled(moved, reading.outer)) {
                Gathering called = new Gathering(reading.outer, lower.settled, new ArrayList<>());
                walk(stages, stage, both, low, high, found, called);
                reading.go(walk.next(reading.at));
                boolean all = called.leave(lower, upper, steps);
                for (Exit exit : called.exits) {
                    onward(stages, stage, exit, found, call);
                }
                return all && both.equals(region);
            }
            onward(stages, stage, new Exit(both, low, high), found, call);
            if (both.equals(region)) {
                return true;
            }
        }
        reading.go(walk.next(reading.at));
        return false;
    }

    /** Returns whether a reading has come to a chain by a call. */
    private static boolean isCalled(Reading reading, @Nullable Call from) {
        return !reading.settled
                && reading.outer != null
                && Objects.equals(reading.outer.outer, from);
    }

    private void onward(
            Stage[] stages, int stage, Exit from, Found<?> found, @Nullable Gathering call) {
        int mark = found.list.size();
        walk(stages, stage, from.region, from.lower, from.upper, found, call);
        found.list.reduce(mark);
    }

    private static Step step(Rule rule) {
        return Objects.requireNonNull(rule.step());
    }

    private static View view(Reading reading, boolean upper, WalkSegment segment) {
        return View.of(upper, reading.inDoubt, segment.asks);
    }

    private void move(Reading reading, Move move, Stage stage) {
        if (reading.unknown == NONE) {
            reading.unknown = move.unknown();
        }
        switch (move.kind()) {
            case RETURN -> leave(reading, stage);
            case DOUBT -> {
                reading.inDoubt = true;
                reading.go(walk.next(move.at()));
            }
            case GO, CALL, CALL_IN_DOUBT -> {
                boolean doubts = reading.inDoubt || move.kind() == Step.Kind.CALL_IN_DOUBT;
                int behind = walk.next(move.at());
                if (move.kind() != Step.Kind.GO && behind != NONE) {
                    reading.outer = new Call(behind, doubts, reading.outer);
                }
                reading.inDoubt = doubts || SegmentMoves.isUnknownCall(move);
                reading.go(move.to());
            }
            default -> {
                reading.settled = true;
                reading.permits = move.permits();
                if (move.rule() == NONE && move.permits()) {
                    reading.unknown = reading.before; // the packets do not come to the stage
                } else {
                    reading.decided(move.rule());
                }
            }
        }
    }

    /** Leaves a chain; that of the stage ends it. */
    private static void leave(Reading reading, Stage stage) {
        Call call = reading.outer;
        if (call == null) {
            reading.settled = true;
            reading.permits = stage.permits();
            reading.decided(stage.end());
            return;
        }
        if (!call.inDoubt) {
            reading.unknown = NONE;
        }
        reading.inDoubt = call.inDoubt;
        reading.outer = call.outer;
        reading.go(call.behind);
    }

    /**
     * Returns whether packets go on behind a segment whatever the boxes that are left hold: these
     * call chains that decide nothing.
     */
    private boolean isPassedBy(WalkSegment segment, Reading lower, Reading upper) {
        Reading reading = lower.settled ? upper : lower;
        return reading.box
                >= moves.passedFrom(segment, reading == lower, reading == upper, reading.inDoubt);
    }
}
