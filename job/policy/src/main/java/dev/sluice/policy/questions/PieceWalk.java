package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Walk of a region through the lists of a policy, which cuts it into pieces of one answer each:
 * exact subtraction, box by box in the order of the lists. Not thread-safe.
 */
final class PieceWalk {
    /** Outcome of packets whose fate something decides that no header tells. */
    static final int DEPENDS = -2;

    /** Outcome of packets that do not come to any stage. */
    static final int NOT_JUDGED = -3;

    private static final int NONE = -1;

    private final PairedLists lists;
    private final BoxList boxes;
    private final Subtraction subtraction;
    private final Deque<Task> tasks = new ArrayDeque<>();
    private final int side;
    private final Cut cut;
    private final Pieces pieces;

    /** Box whose addresses have those of all regions. */
    private int near = NONE;

    /** Boxes of each stage that overlap that one; null: not looked for yet. */
    private final int[] @Nullable [] candidates;

    /** Boxes that overlap the region at hand. */
    private final int[] overlapping;

    private final Steps steps;

    private final Halves halves;

    /** Comparisons of boxes and regions by all walks of a difference. */
    static final class Steps {
        long taken;
    }

    /** Boxes that a piece met, the last one first, and whether they got it for certain. */
    record Trail(int box, boolean certain, @Nullable Trail before) {}

    /**
     * Answer about a piece.
     *
     * @param outcome number of the outcome, {@link #DEPENDS} or {@link #NOT_JUDGED}
     * @param box the box that decides, or that it depends on; -1: not judged
     * @param trail the boxes that decide and may decide
     */
    record Answer(int outcome, int box, @Nullable Trail trail) {}

    /** Takes pieces; returns whether it wants more. */
    interface Pieces {
        boolean take(Region piece, Answer answer);
    }

    /** How a walk goes on with a piece. */
    enum Way {
        WALK,
        LEAVE_OUT,
        /** Of the rest only what boxes have that {@link Cut#differs} is walked. */
        NARROW,
        /** The last box decides about all of it. */
        NEXT_STAGE
    }

    /** Pieces that a walk leaves out. */
    interface Cut {
        /** Returns whether pieces that meet a box are left out. */
        boolean met(int box);

        /** The way of a piece; the last one of the boxes covers it. */
        Way ahead(int[] candidates, int count, State state);

        /** Returns whether a box decides otherwise than is known of the piece. */
        boolean differs(int box);
    }

    /**
     * State of a piece in its walk.
     *
     * @param stage the stage that it is in
     * @param outcome the one that boxes may have given it in the stage; -1: none
     * @param mixed whether boxes may have given it several
     * @param mayDeny whether an earlier stage may have denied it
     * @param first the first box that may decide; -1: none
     * @param decider the last box that decided for certain; -1: none
     * @param trail the boxes that it met
     */
    record State(
            int stage,
            int outcome,
            boolean mixed,
            boolean mayDeny,
            int first,
            int decider,
            @Nullable Trail trail) {
        static final State START = new State(0, NONE, false, false, NONE, NONE, null);

        /** The state behind a box that may decide. */
        State behind(int box, int label, boolean certain) {
            return new State(
                    stage,
                    outcome < 0 ? label : outcome,
                    mixed || outcome >= 0 && outcome != label,
                    mayDeny,
                    first < 0 && !certain ? box : first,
                    certain ? box : decider,
                    new Trail(box, certain, trail));
        }

        /** The state behind a box whose packets pass the stage. */
        State passed(int box) {
            Trail behind = box == NONE ? trail : new Trail(box, true, trail);
            boolean several = mixed || outcome > PairedLists.PERMIT;
            return new State(stage, outcome, several, mayDeny, first, decider, behind);
        }

        /** The state in the next stage. */
        State next() {
            return new State(stage + 1, NONE, false, mayDeny || mixed, first, decider, trail);
        }
    }

    /** Takes pieces, and boxes of another list that overlap them; returns whether it wants more. */
    interface Reached {
        boolean take(Region piece, int[] others);
    }

    /** Piece of a box that waits, with boxes that may hold some of it. */
    private record Part(Region region, int[] covering, int[] others) {}

    /** Piece that waits, with the boxes that may hold some of it. */
    private record Task(Region region, int[] candidates, int from, int count, State state) {}

    /**
     * A walk through the stages of a side.
     *
     * @param side 0 old, 1 new
     */
    PieceWalk(
            PairedLists lists,
            Subtraction subtraction,
            int side,
            Cut cut,
            Pieces pieces,
            Steps steps) {
        this.steps = steps;
        this.lists = lists;
        this.subtraction = subtraction;
        this.side = side;
        this.cut = cut;
        this.pieces = pieces;
        boxes = lists.boxes;
        halves = new Halves(boxes);
        candidates = new int[lists.stages(side)][];
        overlapping = new int[boxes.all()];
    }

    /**
     * Walks a region through all stages.
     *
     * @param of box whose addresses have the region's
     * @param first boxes of the first stage, with all that overlap the region
     * @param most number of comparisons by all walks behind which this one is given up
     * @return false: it was given up, or the taker wants no more
     */
    boolean walk(Region region, int of, int[] first, long most) {
        near(of);
        tasks.push(new Task(region, first, 0, first.length, State.START));
        while (!tasks.isEmpty()) {
            if (steps.taken > most || !step(tasks.pop())) {
                tasks.clear();
                return false;
            }
        }
        return true;
    }

    /** The boxes of the first stage that overlap a box. */
    int[] first(int of) {
        near(of);
        return candidates(0);
    }

    private void near(int of) {
        if (near != of) {
            near = of;
            Arrays.fill(candidates, null);
        }
    }

    private int[] candidates(int stage) {
        int[] all = candidates[stage];
        if (all == null) {
            int from = lists.from(side, stage);
            all = candidates(boxes.region(near), near, from, lists.to(side, stage));
            candidates[stage] = all;
        }
        return all;
    }

    private Task start(Region region, State state) {
        int[] all = candidates(state.stage);
        return new Task(region, all, 0, all.length, state);
    }

    /** The boxes of a range that overlap a region, in their order. */
    private int[] candidates(Region region, int of, int from, int to) {
        IntStream.Builder found = IntStream.builder();
        lists.index.visit(
                of,
                of,
                from,
                to,
                box -> {
                    steps.taken++;
                    if (boxes.overlaps(box, region)) {
                        found.add(box);
                    }
                    return false;
                });
        return found.build().sorted().toArray();
    }

    private boolean step(Task task) {
        Region region = task.region;
        int count = 0;
        boolean ends = false;
        for (int i = task.from; i < task.count && !ends; i++) {
            int box = task.candidates[i];
            steps.taken++;
            if (boxes.overlaps(box, region)) {
                overlapping[count++] = box;
                ends = covers(box, region); // no box behind gets any of it
            }
        }
        int[] candidates = Arrays.copyOf(overlapping, count);
        State state = task.state;
        if (ends) {
            Way ahead = cut.ahead(candidates, count, state);
            if (ahead == Way.LEAVE_OUT) {
                return true;
            }
            if (ahead == Way.NEXT_STAGE) {
                return decide(region, state, candidates[count - 1]);
            }
            Region rest = ahead == Way.NARROW ? differing(region, candidates) : region;
            if (!Arrays.equals(rest.bounds(), region.bounds())
                    || !Arrays.equals(rest.kinds(), region.kinds())) {
                if (subtraction.hasPackets(rest)) {
                    tasks.push(new Task(rest, candidates, 0, count, state));
                }
                return true;
            }
        }
        if (count == 0) {
            return decide(region, state, NONE);
        }
        int[] half = halves.of(region, candidates);
        if (half != null) {
            steps.taken += halves.compared();
            int all = count;
            Halves.cut(
                    region, half, piece -> tasks.push(new Task(piece, candidates, 0, all, state)));
            return true;
        }
        int box = candidates[0];
        int left = count;
        steps.taken += cut();
        subtraction.without(
                region, box, piece -> tasks.push(new Task(piece, candidates, 1, left, state)));
        Region both = Objects.requireNonNull(boxes.both(region, box));
        int hole = boxes.hole(box, both);
        if (hole < 0) {
            return meet(new Task(both, candidates, 1, count, state), box, boxes.certain[box]);
        }
        hole = boxes.hidden(box, both).findFirst().orElse(hole);
        subtraction.without(
                both, hole, piece -> tasks.push(new Task(piece, candidates, 0, left, state)));
        Region inside = Objects.requireNonNull(boxes.both(both, hole));
        Task behind = new Task(inside, candidates, 1, count, state);
        if (boxes.covers[hole]) {
            tasks.push(behind);
            return true;
        }
        return meet(behind, box, false);
    }

    /** The part of a region in the hull of the boxes that differ from what is known of it. */
    private Region differing(Region region, int[] candidates) {
        int[] bounds = new int[region.bounds().length];
        long[] kinds = new long[region.kinds().length];
        boolean any = false;
        for (int box : candidates) {
            if (!cut.differs(box)) {
                continue;
            }
            for (int d = 0; d < boxes.dimensions; d++) {
                int low = boxes.first(box, d);
                int high = boxes.last(box, d);
                bounds[2 * d] = any ? Math.min(low, bounds[2 * d]) : low;
                bounds[2 * d + 1] = any ? Math.max(high, bounds[2 * d + 1]) : high;
            }
            for (int w = 0; w < kinds.length; w++) {
                kinds[w] |= boxes.kinds(box, w);
            }
            any = true;
        }
        Region rest = region.copy();
        for (int d = 0; d < boxes.dimensions; d++) {
            rest.clip(d, bounds[2 * d], bounds[2 * d + 1]);
        }
        for (int w = 0; w < kinds.length; w++) {
            rest.kinds()[w] &= kinds[w];
        }
        return rest;
    }

    /** Number of comparisons that take as long as a region's subtraction, about. */
    private long cut() {
        return 4L * boxes.dimensions;
    }

    private boolean covers(int box, Region region) {
        return boxes.certain[box] && boxes.spans(box, region) && !boxes.isHoled(box, region);
    }

    private boolean meet(Task task, int box, boolean certain) {
        if (cut.met(box)) {
            return true;
        }
        if (certain) {
            return decide(task.region, task.state, box);
        }
        int label = Math.max(lists.outcome[box], PairedLists.PERMIT);
        State behind = task.state.behind(box, label, false);
        tasks.push(new Task(task.region, task.candidates, task.from, task.count, behind));
        return true;
    }

    /** Ends a stage by the box that decides; {@link #NONE}: the packets do not come to it. */
    private boolean decide(Region region, State state, int box) {
        boolean passes = box == NONE || lists.outcome[box] == PairedLists.PASSES;
        State end = passes ? state.passed(box) : state.behind(box, lists.outcome[box], true);
        boolean permits = end.mixed || end.outcome <= PairedLists.PERMIT;
        if (permits && end.stage < lists.stages(side) - 1) {
            tasks.push(start(region, end.next()));
            return true;
        }
        if (end.decider == NONE && end.first == NONE) {
            return pieces.take(region, new Answer(NOT_JUDGED, NONE, end.trail));
        }
        if (end.mixed || permits && end.mayDeny) {
            return pieces.take(region, new Answer(DEPENDS, end.first, end.trail));
        }
        int outcome = Math.max(end.outcome, PairedLists.PERMIT);
        int by = end.decider == NONE ? end.first : end.decider;
        return pieces.take(region, new Answer(outcome, by, end.trail));
    }

    /**
     * Passes the pieces of a box that it gets, from the boxes before in its list and from packets
     * that cannot be.
     *
     * @param others boxes of another list that overlap the box
     * @return false: it was given up, or the taker wants no more
     */
    boolean reach(int box, int[] others, Reached taker, long most) {
        Region all = boxes.region(box);
        IntStream.Builder covering = IntStream.builder();
        IntStream.of(candidates(all, box, 0, boxes.impossible)).forEach(covering::add);
        IntStream.of(candidates(all, box, lists.from(side, lists.stage[box]), box))
                .filter(before -> boxes.certain[before])
                .forEach(covering::add);
        boxes.hidden(box, all).forEach(covering::add);
        int[] first = covering.build().toArray();
        Deque<Part> left = new ArrayDeque<>();
        if (subtraction.hasPackets(all)) {
            left.push(new Part(all, first, others));
        }
        while (!left.isEmpty()) {
            if (steps.taken > most || !uncover(left.pop(), left, taker)) {
                return false;
            }
        }
        return true;
    }

    /** Passes a piece that no box covers; else puts back those that one leaves. */
    private boolean uncover(Part part, Deque<Part> left, Reached taker) {
        Region region = part.region;
        int count = 0;
        int largest = NONE;
        double most = -1;
        steps.taken += part.covering.length;
        for (int box : part.covering) {
            if (!boxes.overlaps(box, region)) {
                continue;
            }
            overlapping[count++] = box;
            if (!boxes.isHoled(box, region)) {
                double share = boxes.share(box, region);
                largest = share > most ? box : largest;
                most = Math.max(share, most);
            }
        }
        if (largest != NONE && boxes.spans(largest, region)) {
            return true;
        }
        int[] covering = Arrays.copyOf(overlapping, count);
        int[] others = part.others;
        if (others.length >= Halves.FEW) {
            steps.taken += others.length;
            others = IntStream.of(others).filter(box -> boxes.overlaps(box, region)).toArray();
        }
        int[] half = halves.of(region, covering.length < others.length ? others : covering);
        int[] rest = others;
        if (half != null) {
            steps.taken += halves.compared();
            Halves.cut(region, half, piece -> left.push(new Part(piece, covering, rest)));
            return true;
        }
        if (count == 0) {
            return taker.take(region, rest);
        }
        if (largest != NONE) {
            steps.taken += cut();
            subtraction.without(
                    region, largest, piece -> left.push(new Part(piece, covering, rest)));
            return true;
        }
        int hole = boxes.hole(covering[0], region); // where the box does not cover for certain
        subtraction.without(region, hole, piece -> left.push(new Part(piece, covering, rest)));
        Region inside = Objects.requireNonNull(boxes.both(region, hole));
        left.push(new Part(inside, Arrays.copyOfRange(covering, 1, count), rest));
        return true;
    }
}
