package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Labels tell the order of rules wherever they come, and never run out. */
class OverlayOrderTest {
    private static final Match ANY = new Match.Builder().build();

    private final OverlayOrder order = new OverlayOrder();
    private final List<Rule> rules = new ArrayList<>();
    private int respread;

    private Rule rule(int priority, Place place) {
        return new Rule(rules.size(), priority, ANY, "a", 0, place, "");
    }

    /** Enters a rule and gives neighbours new labels where there is no room. */
    private void insert(Rule rule, int precede) {
        int slot = (int) rule.id();
        rules.add(rule);
        assertTrue(order.insert(slot, rule, precede));
        if (order.label(slot) < 0) {
            respread++;
            order.respread(slot);
        }
    }

    private void assertOrdered(List<Rule> inOrder) {
        for (int i = 1; i < inOrder.size(); i++) {
            int before = (int) inOrder.get(i - 1).id();
            int slot = (int) inOrder.get(i).id();
            assertTrue(order.label(slot) >= 0, "no label");
            assertTrue(
                    order.precede(before) < order.precede(slot)
                            || order.precede(before) == order.precede(slot)
                                    && order.label(before) < order.label(slot),
                    "rules " + before + " and " + slot);
        }
    }

    @Test
    void rulesThatComeAnywhereAreInOrder() {
        Random random = TestSeed.random(81);
        List<Rule> inOrder = new ArrayList<>();
        for (int k = 0; k < 3000; k++) {
            int at = random.nextInt(inOrder.size() + 1);
            Place before = at == 0 ? null : inOrder.get(at - 1).place();
            Place behind = at == inOrder.size() ? null : inOrder.get(at).place();
            Rule rule = rule(0, Place.between(before, behind));
            insert(rule, 3);
            inOrder.add(at, rule);
            if (inOrder.size() > 1500) {
                Rule gone = inOrder.remove(random.nextInt(inOrder.size()));
                order.remove((int) gone.id(), gone);
            }
        }
        assertOrdered(inOrder);
        Rule again = rule(0, inOrder.get(5).place());
        rules.add(again);
        assertFalse(order.insert((int) again.id(), again, 3));
    }

    @Test
    void theSameGapTakesRulesWithoutEnd() {
        for (int way = 0; way < 4; way++) {
            Rule first = rule(way, Place.between(null, null));
            insert(first, way);
            Rule last = rule(way, Place.between(first.place(), null));
            insert(last, way);
            List<Rule> inOrder = new ArrayList<>(List.of(first, last));
            @Nullable Rule lower = first;
            Rule upper = last;
            for (int k = 0; k < 4000; k++) {
                Rule rule = rule(way, Place.between(lower.place(), upper.place()));
                insert(rule, way);
                inOrder.add(inOrder.indexOf(upper), rule);
                // Always behind the last one, always before it, by turns, or in pairs of turns.
                boolean behind = way == 0 || way >= 2 && (way == 2 ? k : k >> 1) % 2 == 0;
                if (behind) {
                    lower = rule;
                } else {
                    upper = rule;
                }
            }
            assertOrdered(inOrder);
        }
        assertTrue(respread > 0, "labels never ran out");
    }

    @Test
    void prioritiesComeBeforePlaces() {
        Place place = Place.between(null, null);
        insert(rule(5, place), 0);
        insert(rule(Integer.MAX_VALUE, place), 0);
        insert(rule(Integer.MIN_VALUE, place), 0);
        insert(rule(-1, place), 0);
        List<Rule> inOrder = new ArrayList<>(rules);
        inOrder.sort((a, b) -> Integer.compare(b.priority(), a.priority()));
        assertOrdered(inOrder);
        assertEquals(4, inOrder.size());
    }
}
