package dev.sluice.policy.questions;

import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.CoverProof.Result;
import dev.sluice.policy.questions.IndexedList.Counting;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Findings about the rules of a first-match list. Not thread-safe. */
public final class Lint {
    private final IndexedList list;
    private final NeedSearch needs;

    private Lint(List<MatchEntry> entries, List<String> outcomes, IntPredicate placed) {
        list = new IndexedList(entries, outcomes.size());
        needs = new NeedSearch(list, outcomes, placed);
    }

    /**
     * Findings about each owner.
     *
     * @param entries the list
     * @param outcomes outcome of each owner; of one that decides nothing any
     * @param end owner of the entry that no user can remove: the one at the list's end
     */
    public static List<RuleFinding> of(List<MatchEntry> entries, List<String> outcomes, int end) {
        return of(entries, outcomes, end, owner -> true, owner -> true);
    }

    /**
     * Findings about some owners; the others are {@link Reach#ABSENT}.
     *
     * @param asked tells the owners
     * @param placed tells the owners whose rules stand where a user put them
     */
    static List<RuleFinding> of(
            List<MatchEntry> entries,
            List<String> outcomes,
            int end,
            IntPredicate asked,
            IntPredicate placed) {
        Lint lint = new Lint(entries, outcomes, placed);
        boolean alike = outcomes.stream().distinct().count() < 2;
        List<RuleFinding> findings = new ArrayList<>(outcomes.size());
        for (int owner = 0; owner < outcomes.size(); owner++) {
            findings.add(
                    asked.test(owner)
                            ? lint.finding(owner, alike, owner == end)
                            : RuleFinding.ABSENT);
        }
        BitSet dead = new BitSet();
        for (int owner = 0; owner < findings.size(); owner++) {
            dead.set(owner, findings.get(owner).reach() == Reach.DEAD);
        }
        for (int owner = dead.nextSetBit(0); owner >= 0; owner = dead.nextSetBit(owner + 1)) {
            if (findings.get(owner).covering().stream().anyMatch(dead::get)) {
                findings.set(owner, lint.byLive(owner, findings.get(owner), dead));
            }
        }
        return findings;
    }

    /**
     * The finding about a dead owner, covered by others that are not where they suffice: what a
     * dead one before it takes, another takes before that.
     */
    private RuleFinding byLive(int owner, RuleFinding found, BitSet dead) {
        list.proof.begin();
        Counting live =
                (box, one) -> isOfOthers(box, one, owner) && !dead.get(list.boxes.owner[one]);
        BitSet leaned = new BitSet();
        Result result = list.prove(list.owned[owner], live, leaned);
        return result == Result.COVERED ? dead(owner, leaned) : found;
    }

    private boolean isOfOthers(int box, int one, int owner) {
        return list.boxes.isBefore(one, box) && list.boxes.owner[one] != owner;
    }

    private RuleFinding finding(int owner, boolean alike, boolean end) {
        list.proof.begin();
        int[] own = list.owned[owner];
        BitSet leaned = new BitSet();
        boolean undecided = false;
        for (int box : certainFirst(own)) {
            int[] point = list.witness(box, owner);
            if (point == null) {
                Region region = list.boxes.region(box);
                Result result = list.proof.prove(region, list.before(box, box, box, region, owner));
                undecided |= result == Result.UNDECIDED;
                if (result == Result.COVERED) {
                    leaned.or(list.proof.leaned());
                }
                point = result == Result.OPEN ? list.proof.point().clone() : null;
            }
            int[] header = point == null ? null : list.header(box, point);
            if (point != null && header != null) {
                boolean asks = list.boxes.decides[box] && !alike && !end;
                return live(owner, header, list.isDoubtful(box, point, owner), asks);
            }
            undecided |= point != null;
        }
        if (undecided) {
            return new RuleFinding(
                    Reach.UNDECIDED,
                    null,
                    false,
                    List.of(),
                    false,
                    Need.NOT_ASKED,
                    List.of(),
                    null);
        }
        return dead(owner, leaned);
    }

    private RuleFinding dead(int owner, BitSet leaned) {
        Counting before = (box, one) -> isOfOthers(box, one, owner);
        List<Integer> covering = list.owners(leaned);
        boolean few = covering.size() <= IndexedList.MOST_MINIMAL;
        List<Integer> least =
                few
                        ? list.minimal(list.owned[owner], covering, before, (box, one) -> false)
                        : covering;
        return new RuleFinding(
                Reach.DEAD,
                null,
                false,
                least,
                few && !list.proof.spend(0),
                Need.NOT_ASKED,
                List.of(),
                null);
    }

    private int[] certainFirst(int[] own) {
        boolean[] certain = list.boxes.certain;
        return IntStream.concat(
                        IntStream.of(own).filter(box -> certain[box]),
                        IntStream.of(own).filter(box -> !certain[box]))
                .toArray();
    }

    private RuleFinding live(int owner, int[] header, boolean doubtful, boolean asks) {
        Need need = asks ? needs.need(owner) : Need.NOT_ASKED;
        List<Integer> behind = need == Need.REDUNDANT ? needs.behind(owner) : List.of();
        list.proof.begin();
        Integer conflict = asks ? needs.conflict(owner) : null;
        if (need == Need.NEEDED && conflict == null && list.proof.spend(0)) {
            need = Need.UNDECIDED;
        }
        return new RuleFinding(
                Reach.LIVE, header, doubtful, List.of(), true, need, behind, conflict);
    }
}
