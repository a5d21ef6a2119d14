package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.CoverProof.Result;
import dev.sluice.policy.questions.IndexedList.Counting;
import dev.sluice.policy.questions.RuleFinding.Need;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Search for the packets that need a rule, and for rules that its outcome conflicts with. */
final class NeedSearch {
    private final IndexedList list;
    private final BoxList boxes;
    private final List<String> outcomes;
    private final IntPredicate placed;

    NeedSearch(IndexedList list, List<String> outcomes, IntPredicate placed) {
        this.list = list;
        this.boxes = list.boxes;
        this.outcomes = outcomes;
        this.placed = placed;
    }

    private boolean differs(int owner, int box) {
        return box < boxes.size
                && boxes.decides[box]
                && boxes.owner[box] != owner
                && boxes.owner[box] != MatchEntry.NOBODY
                && !outcomes.get(boxes.owner[box]).equals(outcomes.get(owner));
    }

    /** Returns whether a packet needs a rule. */
    Need need(int owner) {
        int[] own = list.owned[owner];
        for (int box : own) {
            Region region = boxes.region(box);
            for (int number = 0;
                    number < IndexedList.POINTS && !list.proof.spend(boxes.dimensions);
                    number++) {
                int[] point = list.point(region, number);
                if (boxes.isHidden(box, point) || list.index.first(point, box, owner) >= 0) {
                    continue;
                }
                int next = list.index.first(point, boxes.size, owner);
                if (next >= 0 && differs(owner, next)) {
                    return Need.NEEDED;
                }
            }
        }
        for (int box : own) {
            Need need = need(owner, box);
            if (need != Need.REDUNDANT) {
                return need;
            }
        }
        return Need.REDUNDANT;
    }

    /** Returns whether a packet of a box needs it. */
    private Need need(int owner, int box) {
        int last = list.index.spanning(box, owner);
        int end = last < 0 ? boxes.size : last + 1;
        IntStream.Builder pending = IntStream.builder();
        boolean needed =
                list.index.visit(
                        box,
                        box,
                        box + 1,
                        end,
                        other -> {
                            Region both = differs(owner, other) ? boxes.both(box, other) : null;
                            if (both == null || list.proof.spend(2L * boxes.dimensions)) {
                                return list.proof.spend(boxes.dimensions);
                            }
                            for (int corner = 1; corner < 3; corner++) {
                                int[] point = list.point(both, corner);
                                if (!boxes.isHidden(box, point)
                                        && !boxes.isHidden(other, point)
                                        && list.index.first(point, other, owner) < 0) {
                                    return true;
                                }
                            }
                            pending.add(other);
                            return false;
                        });
        if (needed) {
            return list.proof.spend(0) ? Need.UNDECIDED : Need.NEEDED;
        }
        for (int other : pending.build().toArray()) {
            Region both = boxes.both(box, other);
            if (both == null) {
                continue;
            }
            Result result = list.proof.prove(both, list.before(box, other, other, both, owner));
            if (result != Result.COVERED) {
                return result == Result.OPEN ? Need.NEEDED : Need.UNDECIDED;
            }
        }
        return Need.REDUNDANT;
    }

    /** The owners of later rules that decide about a redundant rule's packets as it does. */
    List<Integer> behind(int owner) {
        int[] own = list.owned[owner];
        Set<Integer> spanning = new LinkedHashSet<>();
        for (int box : own) {
            int last = list.index.spanning(box, owner);
            spanning.add(last < 0 || differs(owner, last) ? MatchEntry.NOBODY : boxes.owner[last]);
        }
        if (spanning.size() == 1 && !spanning.contains(MatchEntry.NOBODY)) {
            return List.copyOf(spanning);
        }
        Counting before = (box, one) -> boxes.isBefore(one, box) && boxes.owner[one] != owner;
        Counting later =
                (box, one) ->
                        !boxes.isBefore(one, box)
                                && boxes.owner[one] != owner
                                && !differs(owner, one);
        BitSet leaned = new BitSet();
        list.prove(own, (box, one) -> before.counts(box, one) || later.counts(box, one), leaned);
        List<Integer> all = list.proof.spend(0) ? List.of() : list.owners(leaned);
        return all.size() > IndexedList.MOST_MINIMAL ? all : list.minimal(own, all, later, before);
    }

    /**
     * A rule before of another outcome that overlaps it, where each of the two has packets that the
     * other has not; null: none. Of rules that no user placed nobody can change the order.
     */
    @Nullable Integer conflict(int owner) {
        if (!placed.test(owner)) {
            return null;
        }
        BitSet seen = new BitSet();
        int[] found = {MatchEntry.NOBODY};
        for (int box : list.owned[owner]) {
            if (isOfUnsureFragments(box)) {
                continue;
            }
            Region region = boxes.region(box);
            list.index.visit(
                    box,
                    box,
                    0,
                    box,
                    other -> {
                        int before = boxes.owner[other];
                        if (differs(owner, other)
                                && placed.test(before)
                                && !seen.get(before)
                                && boxes.overlaps(other, region)
                                && !isOfUnsureFragments(other)
                                && isPossible(box, other)) {
                            seen.set(before);
                            if (!isInside(before, owner) && !isInside(owner, before)) {
                                found[0] = before;
                            }
                        }
                        return found[0] >= 0 || list.proof.spend(boxes.dimensions);
                    });
        }
        return found[0] < 0 ? null : found[0];
    }

    /**
     * Returns whether a box holds later fragments that may belong to packets of the owner's other
     * boxes: these show whether it conflicts.
     */
    private boolean isOfUnsureFragments(int box) {
        return isUnsureFragment(box)
                && Arrays.stream(list.owned[boxes.owner[box]])
                        .anyMatch(of -> !isUnsureFragment(of));
    }

    private boolean isUnsureFragment(int box) {
        return !boxes.certain[box] && MatchEntry.isOfLaterFragments(boxes.matches[box]);
    }

    private boolean isPossible(int box, int other) {
        Region both = boxes.both(box, other);
        if (both == null) {
            return false;
        }
        int[] impossible =
                IntStream.concat(
                                IntStream.range(0, boxes.impossible)
                                        .filter(i -> boxes.overlaps(i, both)),
                                IntStream.concat(
                                        boxes.hidden(box, both), boxes.hidden(other, both)))
                        .toArray();
        return impossible.length == 0 || list.proof.prove(both, impossible) == Result.OPEN;
    }

    private boolean isInside(int inner, int outer) {
        int[] of = list.owned[outer];
        for (int box : list.owned[inner]) {
            Region region = boxes.region(box);
            if (of.length == 1 && boxes.spans(of[0], region) && !boxes.isHoled(of[0], region)) {
                continue;
            }
            int[] covering =
                    IntStream.concat(
                                    boxes.hidden(box, region),
                                    IntStream.concat(
                                                    IntStream.range(0, boxes.impossible),
                                                    IntStream.of(of))
                                            .filter(one -> boxes.overlaps(one, region)))
                            .toArray();
            if (list.proof.prove(region, covering) == Result.OPEN) {
                return false;
            }
        }
        return true;
    }
}
