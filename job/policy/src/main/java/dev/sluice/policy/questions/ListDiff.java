package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.PieceWalk.Answer;
import dev.sluice.policy.questions.PieceWalk.State;
import dev.sluice.policy.questions.PieceWalk.Trail;
import dev.sluice.policy.questions.PieceWalk.Way;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Difference of two policies: the regions in which they differ, by the pairs of lines that decide.
 *
 * <p>Each changed box is taken in turn. The packets that it gets and that no earlier changed box
 * met are walked through both policies; so each header is met once. Not thread-safe.
 */
final class ListDiff {
    /** Most comparisons of boxes and regions for all changed boxes. */
    static final long BUDGET = 2_000_000_000L;

    /** Share of the budget that a changed box may use. */
    private static final int SHARE = 3;

    /** Most regions of a pair that are kept for merging. */
    static final int MOST_KEPT = 20_000;

    /** Most regions of all pairs that are kept. */
    private static final int MOST_KEPT_OF_ALL = 400_000;

    /** Condition under which two answers differ. */
    enum By {
        OUTCOME,
        RULE
    }

    /** Regions of one pair of lines and outcomes. */
    static final class Pair {
        final Answer old;
        final Answer fresh;
        BigInteger size = BigInteger.ZERO;
        long regions;
        final Region hull;
        final List<Region> kept = new ArrayList<>();
        int @Nullable [] witness;

        /** True if the search for more was given up. */
        boolean atLeast;

        Pair(Answer old, Answer fresh, Region first) {
            this.old = old;
            this.fresh = fresh;
            hull = first.hull();
        }
    }

    private record Key(int oldLine, int oldOutcome, int newLine, int newOutcome) {}

    final PairedLists lists;
    final HeaderCount count;
    private final BoxList boxes;
    private final Subtraction subtraction;
    private final By by;
    private final int mostBoxes;
    private final PieceWalk[] first = new PieceWalk[2];
    private final PieceWalk[] second = new PieceWalk[2];
    private final Map<Key, Pair> pairs = new HashMap<>();

    /** The pair of the last piece, which the next one often has. */
    private @Nullable Pair last;

    /** Headers that one side alone judges: the old one, the new one. */
    final BigInteger[] alone = {BigInteger.ZERO, BigInteger.ZERO};

    /** Lines of each side with a changed box whose regions were given up. */
    final List<Set<Integer>> givenUp = List.of(new HashSet<>(), new HashSet<>());

    private int changed;
    private Answer known = new Answer(PieceWalk.NOT_JUDGED, -1, null);
    private final PieceWalk.Steps steps = new PieceWalk.Steps();

    /** Number of comparisons behind which the changed box at hand is given up. */
    private long most;

    /** Boxes of the other side's first stage that overlap the piece at hand. */
    private int[] near = {};

    /** Number of regions that all pairs keep. */
    private int kept;

    /**
     * Makes a comparison.
     *
     * @param mostBoxes most boxes that are asked for; 0: none
     */
    ListDiff(PairedLists lists, By by, int mostBoxes) {
        this.lists = lists;
        this.by = by;
        this.mostBoxes = mostBoxes;
        boxes = lists.boxes;
        subtraction = new Subtraction(boxes);
        count = new HeaderCount(boxes.space);
        for (int side = 0; side < 2; side++) {
            first[side] =
                    new PieceWalk(lists, subtraction, side, cut(false), this::walkOther, steps);
            second[side] = new PieceWalk(lists, subtraction, side, cut(true), this::differ, steps);
        }
    }

    /** The pairs, in no order. */
    Collection<Pair> run(long budget) {
        for (int i = 0; i < lists.changed.length; i++) {
            int box = lists.changed[i];
            if (lists.unreal[box]) {
                continue;
            }
            changed = i;
            most = steps() + (budget - steps()) / SHARE;
            int side = lists.side[box];
            int[] others = second[1 - side].first(box);
            boolean whole =
                    first[side].reach(box, others, (piece, near) -> walk(piece, box, near), most);
            if (!whole) {
                givenUp.get(side).add(lists.line[box]);
            }
        }
        boolean any = givenUp.stream().anyMatch(lines -> !lines.isEmpty());
        boolean isOneList = lists.stages(0) == 1 && lists.stages(1) == 1 && !boxes.doubts;
        for (Pair pair : pairs.values()) { // behind a stage, or by a doubt, another line may decide
            pair.atLeast =
                    any && !isOneList
                            || givenUp.get(0).contains(line(pair.old))
                            || givenUp.get(1).contains(line(pair.fresh));
        }
        return pairs.values();
    }

    /** Number of comparisons so far. */
    long steps() {
        return steps.taken;
    }

    int line(Answer answer) {
        return lists.line[answer.box()];
    }

    /** Walks a piece that a changed box gets in its list. */
    private boolean walk(Region piece, int box, int[] others) {
        int side = lists.side[box];
        near = others;
        if (!boxes.doubts && lists.stages(side) == 1 && lists.outcome[box] >= 0) {
            return walkOther(
                    piece, new Answer(lists.outcome[box], box, new Trail(box, true, null)));
        }
        return first[side].walk(piece, box, first[side].first(box), most);
    }

    private boolean walkOther(Region piece, Answer answer) {
        int box = lists.changed[changed];
        Trail at = answer.trail();
        while (at != null && at.box() != box) {
            at = at.before();
        }
        if (at == null) {
            return true; // it does not come to the box
        }
        known = answer;
        return second[1 - lists.side[box]].walk(piece, box, near, most);
    }

    private PieceWalk.Cut cut(boolean compares) {
        return new PieceWalk.Cut() {
            @Override
            public boolean met(int box) {
                return lists.unreal[box] || lists.changedAt[box] < changed; // counted already
            }

            @Override
            public Way ahead(int[] candidates, int count, State state) {
                return compares && by == By.OUTCOME ? alike(candidates, count, state) : Way.WALK;
            }

            @Override
            public boolean differs(int box) {
                return lists.outcome[box] != known.outcome();
            }
        };
    }

    /** The way of a piece about which all boxes decide as is known of the other side. */
    private Way alike(int[] candidates, int count, State state) {
        int outcome = known.outcome();
        boolean permits = outcome == PairedLists.PERMIT;
        if (outcome < 0
                || state.mixed()
                || state.outcome() >= 0 && state.outcome() != outcome
                || permits && state.mayDeny()) {
            return Way.WALK;
        }
        int side = 1 - lists.side[lists.changed[changed]];
        boolean last = !permits || state.stage() == lists.stages(side) - 1;
        boolean met = false;
        for (int i = 0; i < count; i++) {
            if (lists.outcome[candidates[i]] != outcome) {
                return last ? Way.NARROW : Way.WALK;
            }
            met |= lists.changedAt[candidates[i]] < changed;
        }
        if (last) {
            return Way.LEAVE_OUT;
        }
        return met ? Way.WALK : Way.NEXT_STAGE;
    }

    private boolean differ(Region piece, Answer answer) {
        boolean isOld = lists.side[lists.changed[changed]] == 0;
        Answer old = isOld ? known : answer;
        Answer fresh = isOld ? answer : known;
        if (isEqual(old, fresh)) {
            return true;
        }
        BigInteger size = count.of(piece);
        if (size.signum() == 0) {
            return true;
        }
        boolean unseen = old.outcome() == PieceWalk.NOT_JUDGED;
        if (unseen || fresh.outcome() == PieceWalk.NOT_JUDGED) {
            int judging = unseen ? 1 : 0;
            alone[judging] = alone[judging].add(size);
            return true;
        }
        Pair pair = last;
        if (pair == null || !isOfLines(pair, old, fresh)) {
            Key key = new Key(line(old), old.outcome(), line(fresh), fresh.outcome());
            pair = pairs.computeIfAbsent(key, of -> new Pair(old, fresh, piece));
            last = pair;
        }
        pair.size = pair.size.add(size);
        pair.regions += MergedRegions.boxCount(piece);
        extend(pair.hull, piece);
        int room = Math.min(MOST_KEPT - pair.kept.size(), MOST_KEPT_OF_ALL - kept);
        if (mostBoxes > 0 && room > 0) {
            List<Region> boxes = MergedRegions.boxes(piece, room);
            pair.kept.addAll(boxes);
            kept += boxes.size();
        }
        if (pair.witness == null) {
            pair.witness = witness(piece);
        }
        return true;
    }

    private boolean isOfLines(Pair pair, Answer old, Answer fresh) {
        return line(pair.old) == line(old)
                && line(pair.fresh) == line(fresh)
                && pair.old.outcome() == old.outcome()
                && pair.fresh.outcome() == fresh.outcome();
    }

    private boolean isEqual(Answer old, Answer fresh) {
        if (old.outcome() != fresh.outcome()) {
            return false;
        }
        if (old.outcome() == PieceWalk.NOT_JUDGED) {
            return true;
        }
        if (old.outcome() == PieceWalk.DEPENDS
                && (isMarked(old.trail()) || isMarked(fresh.trail()))) {
            return false;
        }
        if (old.outcome() == PieceWalk.DEPENDS
                && !doubts(old.trail()).equals(doubts(fresh.trail()))) {
            return false;
        }
        return by == By.OUTCOME || lists.isOneRule(old.box(), fresh.box());
    }

    private boolean isMarked(@Nullable Trail trail) {
        for (Trail at = trail; at != null; at = at.before()) {
            if (!at.certain() && lists.marked.get(at.box())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the doubts of packets that depend: the outcomes that boxes may give them, the last
     * one first. Boxes of one line in a row are one, and such that decide like the last one of
     * their stage, just before it, are none. Which conditions these are that no header tells is not
     * compared.
     */
    private List<Integer> doubts(@Nullable Trail trail) {
        List<Integer> doubts = new ArrayList<>();
        int behind = PairedLists.PASSES;
        int lineBehind = -1;
        for (Trail at = trail; at != null; at = at.before()) {
            int outcome = Math.max(lists.outcome[at.box()], PairedLists.PERMIT);
            int of = lists.line[at.box()];
            if (at.certain()) {
                behind = outcome;
                lineBehind = -1;
                if (lists.outcome[at.box()] != PairedLists.PASSES) {
                    doubts.add(2 * outcome + 1);
                }
            } else if (outcome != behind && of != lineBehind) {
                doubts.add(2 * outcome);
                behind = PairedLists.PASSES;
                lineBehind = of;
            }
        }
        return doubts;
    }

    private static void extend(Region hull, Region by) {
        for (int i = 0; i < hull.bounds().length; i += 2) {
            hull.bounds()[i] = Math.min(hull.bounds()[i], by.bounds()[i]);
            hull.bounds()[i + 1] = Math.max(hull.bounds()[i + 1], by.bounds()[i + 1]);
        }
        for (int w = 0; w < hull.kinds().length; w++) {
            hull.kinds()[w] |= by.kinds()[w];
        }
    }

    /** A header of a region, the most usual one of a few; null: none of them is possible. */
    int @Nullable [] witness(Region region) {
        HeaderSpace space = boxes.space;
        int[] point = new int[boxes.dimensions + 1];
        for (int choice = 0; choice < 3; choice++) {
            for (int w = 0; w < region.kinds().length; w++) {
                for (long left = region.kinds()[w]; left != 0; left &= left - 1) {
                    int kind = 64 * w + Long.numberOfTrailingZeros(left);
                    for (int d = 0; d < boxes.dimensions; d++) {
                        int low = region.bounds()[2 * d];
                        int high = region.bounds()[2 * d + 1];
                        point[d] =
                                choice == 0
                                        ? space.usual(d, kind, low, high)
                                        : choice == 1 ? low : high;
                    }
                    point[boxes.dimensions] = kind;
                    int[] header = space.header(point);
                    if (holds(region, header)) {
                        return header;
                    }
                }
            }
        }
        return null;
    }

    private boolean holds(Region region, int[] header) {
        for (int d = 0; d < boxes.dimensions; d++) {
            int at = boxes.space.dimensions.get(d).atHeader(header);
            if (!Coordinates.meet(region.runs(d), at, at)) {
                return false;
            }
        }
        return true;
    }
}
