package dev.sluice.engine.forest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.forest.Cutting.Items;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RoomTest {
    private static final long BUDGET = 64L << 20;
    private static final RuleSet RULES =
            new RandomRules(TestSeed.of(3)).ruleSet(Shape.PREFIXES, 500);

    private static Subtree plan(Room room) {
        ForestEntries entries = ForestEntries.of(RULES);
        float[] shares = new float[entries.count()];
        Arrays.fill(shares, Planner.QUOTA);
        return new Planner(entries, room)
                .plan(
                        new Items(entries.items(), shares),
                        Region.all(RULES.layout().size()),
                        Planner.Place.ROOT);
    }

    @Test
    void whatHasNoWorkLeftStaysALeaf() {
        assertInstanceOf(Subtree.Node.class, plan(Room.of(RULES, BUDGET)));
        Room spent = Room.of(RULES, BUDGET);
        assertFalse(spent.work(Integer.MAX_VALUE));
        assertInstanceOf(Subtree.Leaf.class, plan(spent));
    }

    @Test
    void partsHaveTheirShareOfTheWork() {
        Room whole = Room.of(RULES, BUDGET);
        Room half = whole.part(1, 2);
        int steps = 0;
        while (half.work(1000)) {
            steps++;
        }
        for (int i = 0; i < 2 * steps; i++) {
            assertTrue(whole.work(1000), "step " + i);
        }
    }
}
