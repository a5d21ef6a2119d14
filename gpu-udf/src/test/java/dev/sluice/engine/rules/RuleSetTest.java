package dev.sluice.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RuleSetTest {
    private static Rule rule(long id, int priority) {
        return new Rule(id, priority, new Match.Builder().build(), "a", (int) id);
    }

    private static RuleSet set(Rule... rules) {
        return RuleSet.of("s", 1, RuleSet.DROP, List.of(rules));
    }

    private static List<Long> ids(RuleSet set) {
        return set.rules().stream().map(Rule::id).toList();
    }

    @Test
    void rulesWithoutPlacesGetThemInTheOrderOfTheList() {
        RuleSet set = set(rule(1, 5), rule(2, 9), rule(3, 5), rule(4, 9), rule(5, -1));
        assertEquals(List.of(2L, 4L, 1L, 3L, 5L), ids(set));
        for (int i = 1; i < set.size(); i++) {
            assertTrue(set.rules().get(i - 1).precedes(set.rules().get(i)));
            assertFalse(set.rules().get(i).precedes(set.rules().get(i - 1)));
        }
    }

    @Test
    void rulesWithPlacesAreSortedByThemAndKeepThem() {
        Place middle = Place.between(null, null);
        Place first = Place.between(null, middle);
        RuleSet set = set(rule(1, 5).at(middle), rule(2, 5).at(first), rule(3, 7).at(middle));
        assertEquals(List.of(3L, 2L, 1L), ids(set));
        assertEquals(first, set.rules().get(1).place());
    }

    @Test
    void placesMayBeGivenAnew() {
        Place place = Place.between(null, null);
        RuleSet set =
                RuleSet.inListOrder(
                        "s", 1, RuleSet.DROP, List.of(rule(7, 5).at(place), rule(3, 5)));
        assertEquals(List.of(7L, 3L), ids(set));
    }

    @Test
    void answersOfAPolicyTellOutcomesAndItsFirstStageTheAssumption() {
        List<Rule> rules = new ArrayList<>();
        Step permit = new Step(Step.Kind.ANSWER, true, 0, 7, 0, 0);
        Step deny = new Step(Step.Kind.ANSWER, false, 0, 8, 0, 0);
        Step depends = new Step(Step.Kind.DEPENDS, true, 0, 8, 0, 0);
        Step judges = new Step(Step.Kind.JUDGES, false, 0, 0, 0, 0);
        Step box = new Step(Step.Kind.DECIDE, true, 1, 7, 0, 0);
        for (Step step : List.of(permit, deny, depends, box, judges)) {
            Match all = new Match.Builder().build();
            String action = step == judges ? "--assume new" : "a";
            rules.add(new Rule(rules.size(), 0, all, action, 0, Place.NONE, "", step));
        }
        RuleSet policy = RuleSet.of("p", 1, RuleSet.DROP, rules);
        assertEquals("--assume new", policy.assumed());
        assertEquals("", set(rule(1, 1)).assumed());
        RuleSet answers = policy.seen();
        assertEquals(
                List.of(
                        VerdictOutcome.NOT_JUDGED,
                        VerdictOutcome.PERMIT,
                        VerdictOutcome.DENY,
                        VerdictOutcome.DEPENDS),
                IntStream.range(-1, answers.size()).mapToObj(answers::outcome).toList());
        assertEquals(VerdictOutcome.NONE, policy.rules().get(3).outcome());
        assertEquals(VerdictOutcome.NONE, set(rule(1, 1)).outcome(0));
    }

    @Test
    void rulesOfWhichNeitherComesFirstAreRefused() {
        Place place = Place.between(null, null);
        assertThrows(
                IllegalArgumentException.class,
                () -> set(rule(1, 5).at(place), rule(2, 5).at(place)));
        assertEquals(2, set(rule(1, 5).at(place), rule(2, 6).at(place)).size());
    }

    @Test
    void placesOfSomeRulesAloneAreRefused() {
        Place place = Place.between(null, null);
        assertThrows(IllegalArgumentException.class, () -> set(rule(1, 5).at(place), rule(2, 5)));
    }

    @Test
    void linesMoveByTheShiftOfTheirRun() {
        List<LineShift> shifts =
                List.of(new LineShift(3, 2), new LineShift(10, -1), new LineShift(20, 0));
        int[][] lineAndAfter = {
            {0, 0}, {1, 1}, {2, 2}, {3, 5}, {9, 11}, {10, 9}, {19, 18}, {20, 20}, {500, 500}
        };
        for (int[] one : lineAndAfter) {
            assertEquals(one[1], LineShift.shifted(shifts, one[0]), "line " + one[0]);
        }
        assertEquals(7, LineShift.shifted(List.of(), 7));
    }

    @Test
    void shiftsThatDoNotAscendAreRefused() {
        for (List<LineShift> bad :
                List.of(
                        List.of(new LineShift(0, 1)),
                        List.of(new LineShift(4, 1), new LineShift(4, 2)),
                        List.of(new LineShift(4, 1), new LineShift(3, 2)))) {
            assertThrows(
                    IllegalArgumentException.class, () -> new RuleDelta(List.of(), List.of(), bad));
        }
    }
}
