package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A verdict that is not touched is that of the version. */
class TouchedVerdictsTest {
    private static final int RULES = 60;
    private static final HeaderLayout LAYOUT = HeaderLayout.complete();

    private static RuleBoxes boxes(RuleSet rules) {
        return new RuleBoxes(rules, LAYOUT);
    }

    /** Whether a verdict is touched; -1 is the miss. */
    private static boolean isTouched(TouchedVerdicts touched, int verdict) {
        return touched.marks()[verdict + 1] != 0;
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void whatAnInsertedRuleCanTakeIsTouched(Shape shape) {
        RandomRules random = new RandomRules(TestSeed.of(111));
        int taken = 0;
        for (int round = 0; round < 40; round++) {
            RuleSet rules = random.ruleSet(shape, RULES);
            RuleBoxes boxes = boxes(rules);
            Match inserted = random.rule(shape, 1000, 50).match();
            int precede = random.below(RULES + 1);
            TouchedVerdicts touched = new TouchedVerdicts(RULES, Accelerators.STANDARD);
            touched.inserted(inserted, precede, boxes);
            touched.removed(0, inserted, boxes);
            int[] followers = touched.followers(0);
            assertTrue(isTouched(touched, -1), "the miss");
            for (int position = 1; position < precede; position++) {
                assertFalse(isTouched(touched, position), "a rule before the inserted one");
            }
            for (int k = 0; k < 200; k++) {
                int[] header = random.header(rules);
                for (int w = 0; w < header.length && k % 2 == 0; w++) {
                    header[w] = header[w] & ~inserted.mask(w) | inserted.value(w);
                }
                HeaderBatch batch = new HeaderBatch(LAYOUT, 1);
                batch.add(header);
                for (int position = 1; position < RULES; position++) {
                    boolean matches = rules.rules().get(position).match().matches(header);
                    assertEquals(matches, boxes.matches(position, batch, 0));
                    if (!matches || !inserted.matches(header)) {
                        continue;
                    }
                    assertTrue(Arrays.binarySearch(followers, position) >= 0, "a follower");
                    if (position >= precede) {
                        assertTrue(isTouched(touched, position), "rule " + position);
                        taken++;
                    }
                }
            }
        }
        assertTrue(taken > 0, "no header was common");
    }

    /** Rules of these matches, in their order. */
    private static RuleSet rules(Match... matches) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < matches.length; i++) {
            rules.add(new Rule(i + 1, matches.length - i, matches[i], "permit", i + 1));
        }
        return RuleSet.of("made", 1, RuleSet.DROP, rules);
    }

    private static Match web(int network, int low, int high) {
        return new Match.Builder()
                .field(Field.IPV4_DST, network << 24, 0xff000000)
                .ports(Field.DST_PORT, low, high)
                .build();
    }

    @Test
    void rulesThatHaveNothingInCommonDoNotTouchEachOther() {
        RuleSet rules =
                rules(
                        web(10, 1000, 2000),
                        web(11, 1000, 2000),
                        web(10, 2001, 3000),
                        web(10, 500, 999),
                        new Match.Builder().build());
        TouchedVerdicts touched = new TouchedVerdicts(rules.size(), Accelerators.STANDARD);
        touched.inserted(web(10, 900, 1000), 0, boxes(rules));
        assertEquals("[1, 1, 0, 0, 1, 1]", Arrays.toString(touched.marks()));
        touched.removed(2, rules.rules().get(2).match(), boxes(rules));
        assertEquals("[1, 1, 0, 1, 1, 1]", Arrays.toString(touched.marks()));
    }

    @Test
    void manyInsertedRulesTouchAll() {
        int size = 1 << 12;
        Match[] matches = new Match[size];
        Arrays.fill(matches, web(11, 0, 9));
        RuleBoxes boxes = boxes(rules(matches));
        TouchedVerdicts touched = new TouchedVerdicts(size, Accelerators.STANDARD);
        for (int k = 0; k < Accelerators.STANDARD.comparisons() / size; k++) {
            touched.inserted(web(10, 5, 5), 0, boxes);
        }
        assertFalse(isTouched(touched, 1));
        touched.inserted(web(10, 5, 5), 0, boxes);
        assertTrue(isTouched(touched, 1));
    }

    @Test
    void aLargeDeltaTouchesAllWithoutBeingCompared() {
        RuleSet rules = rules(web(10, 0, 9), web(11, 0, 9));
        TouchedVerdicts touched = new TouchedVerdicts(2, Accelerators.STANDARD);
        touched.begin(Accelerators.STANDARD.compared());
        touched.inserted(web(10, 5, 5), 0, boxes(rules));
        assertFalse(isTouched(touched, 1));
        touched.begin(Accelerators.STANDARD.compared() + 1);
        touched.inserted(web(10, 5, 5), 0, boxes(rules));
        assertTrue(isTouched(touched, 1));
    }

    @Test
    void followersOfOneThatManyFollowAreNotListed() {
        Match[] matches = new Match[Accelerators.STANDARD.followers() + 2];
        Arrays.fill(matches, web(10, 0, 9));
        RuleSet rules = rules(matches);
        TouchedVerdicts touched = new TouchedVerdicts(matches.length, Accelerators.STANDARD);
        for (int position = 0; position < 2; position++) {
            touched.removed(position, matches[position], boxes(rules));
        }
        assertNull(touched.followers(0));
        int[] followers = touched.followers(1);
        assertEquals(Accelerators.STANDARD.followers(), followers.length);
        assertEquals(2, followers[0]);
        touched.removed(2, matches[2], null);
        assertNull(touched.followers(2));
    }

    @Test
    void allAreTouchedWhereTheBaseIsNotKnown() {
        TouchedVerdicts touched = new TouchedVerdicts(2, Accelerators.STANDARD);
        touched.inserted(web(10, 5, 5), 2, null);
        assertEquals("[1, 1, 1]", Arrays.toString(touched.marks()));
    }
}
