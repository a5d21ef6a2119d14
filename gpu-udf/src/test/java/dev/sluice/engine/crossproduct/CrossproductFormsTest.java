package dev.sluice.engine.crossproduct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductLimits;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.HostKernels;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each form of address pairs, which otherwise rule sets of their own sizes choose, is exact. */
class CrossproductFormsTest {
    private static final long BUDGET = 64L << 20;
    private static final int HEADERS = 500;
    private static final CrossproductLimits ALL = CrossproductLimits.STANDARD;

    /** Forms of which the usual run asks each value of each limit. */
    static Stream<Arguments> forms() {
        return Stream.concat(forms(true), Stream.of(Arguments.of(ALL)));
    }

    static Stream<Arguments> otherForms() {
        return forms(false);
    }

    private static Stream<Arguments> forms(boolean bothOrNone) {
        List<Arguments> all = new ArrayList<>();
        for (long levels : new long[] {0, ALL.levelBytes()}) {
            for (long patterns : new long[] {0, ALL.patternBytes()}) {
                if ((levels == 0) == (patterns == 0) != bothOrNone) {
                    continue;
                }
                for (int listed : new int[] {0, 1_000}) {
                    all.add(Arguments.of(limits(levels, 0, 0, listed, patterns)));
                    all.add(Arguments.of(limits(levels, ALL.directAtLeast(), 0, listed, patterns)));
                }
                all.add(Arguments.of(limits(levels, 0, Integer.MAX_VALUE, 0, patterns)));
            }
        }
        return all.stream();
    }

    private static CrossproductLimits limits(
            long levels, long direct, long mapped, int listed, long patterns) {
        return new CrossproductLimits(
                levels, direct, direct == 0 ? 0 : ALL.directUpTo(), mapped, listed, patterns, 0);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("otherForms")
    void everyOtherFormGivesTheOraclesAnswer(CrossproductLimits limits) throws Exception {
        everyFormGivesTheOraclesAnswer(limits);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void everyFormGivesTheOraclesAnswer(CrossproductLimits limits) throws Exception {
        int served = 0;
        for (Shape shape :
                List.of(
                        Shape.PREFIXES,
                        Shape.IPV4_ROUTES,
                        Shape.IPV6_ROUTES,
                        Shape.ACCESS_LIST,
                        Shape.BACKBONE)) {
            for (int size : new int[] {0, 1, 9, 400}) {
                RuleStory story =
                        RuleStory.random(TestSeed.of(size * 31L), shape, size, 0, HEADERS);
                boolean must = shape != Shape.PREFIXES || size == 0;
                served += check(limits, story, must) && size > 0 ? 1 : 0;
            }
        }
        assertTrue(served >= 12, served + " random rule sets were served");
        check(limits, story(nested(TestSeed.random(7), 600)), true);
        for (int words = 1; words <= 4; words++) {
            check(limits, story(nestedSix(TestSeed.random(words), 300, words)), true);
        }
        check(limits, story(between("one to one", 300, 300, 280)), true);
        check(limits, story(between("lists by destination", 300, 3, 300)), true);
        check(limits, story(between("lists by source", 300, 300, 3)), true);
        check(limits, story(between("too long for lists", 4_000, 50, 80)), true);
        check(limits, story(services("services", TestSeed.random(11), 500, 0xfff0)), true);
        check(limits, story(services("port bits", TestSeed.random(13), 300, 0x00f0)), true);
        check(limits, story(bothPorts("source or destination", TestSeed.random(17), 0)), true);
        check(limits, story(bothPorts("source and destination", TestSeed.random(19), 200)), true);
    }

    private static RuleStory story(RuleSet rules) {
        long seed = TestSeed.of(5);
        return RuleStory.of(rules.name(), seed, rules, new RandomRules(seed), HEADERS);
    }

    /** Whether the rules were served; those that must be are, or the test fails. */
    private static boolean check(CrossproductLimits limits, RuleStory story, boolean must)
            throws Exception {
        Optional<String> refusal =
                SameVerdicts.assertSameVerdicts(
                        story,
                        Subject.of(
                                "pairs-" + limits,
                                rules ->
                                        Subject.lookUp(
                                                new CrossproductClassifier(
                                                        CrossproductCompiler.compile(
                                                                rules,
                                                                new BuildMeter("pairs", BUDGET),
                                                                limits)))));
        if (refusal.isPresent()) {
            assertFalse(must, () -> limits + " refused " + story + ": " + refusal.get());
            return false;
        }
        int read = 0;
        HostKernels program = HostKernels.shared();
        for (Kernel kernel : Algorithm.of("pairs").kernels()) {
            Subject subject =
                    Subject.of(
                            kernel.name() + "-" + limits,
                            rules ->
                                    program.in(
                                            CrossproductCompiler.compile(
                                                    rules, new BuildMeter("pairs", BUDGET), limits),
                                            kernel));
            read += SameVerdicts.assertSameVerdicts(story, subject).isEmpty() ? 1 : 0;
        }
        assertTrue(read > 0, () -> "no kernel reads " + limits + " of " + story);
        return true;
    }

    /** Prefixes of all lengths within each other, in few chunks, so that searches end in gaps. */
    private static RuleSet nested(Random random, int size) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, address(random), random.nextInt(33));
            if (random.nextInt(4) == 0) {
                prefix(b, HeaderWord.IPV4_DST, address(random), random.nextInt(33));
            }
            rules.add(new Rule(i + 1, random.nextInt(size), b.build(), "a", i + 1));
        }
        return RuleSet.of("nested", 1, RuleSet.DROP, rules);
    }

    /**
     * IPv6 prefixes of all lengths within each other, in few values a word, up to so many words, so
     * that bits that a trie skips differ where an address is in none of them, or in a short one.
     */
    private static RuleSet nestedSix(Random random, int size, int words) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Match.Builder b = new Match.Builder();
            six(b, HeaderWord.IPV6_SRC, random, words);
            if (random.nextInt(4) == 0) {
                six(b, HeaderWord.IPV6_DST, random, words);
            }
            rules.add(new Rule(i + 1, random.nextInt(size), b.build(), "a", i + 1));
        }
        return RuleSet.of("nested IPv6", 1, RuleSet.DROP, rules);
    }

    private static void six(Match.Builder b, int first, Random random, int words) {
        int length = random.nextInt(3) == 0 ? 32 * words : random.nextInt(32 * words + 1);
        for (int k = 0; k < words; k++) {
            int value = random.nextInt(2) << random.nextInt(32);
            prefix(b, first + k, value, Math.max(0, Math.min(32, length - 32 * k)));
        }
    }

    /** Rules between so many sources and destinations. */
    private static RuleSet between(String name, int size, int sources, int destinations) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, i % sources * 65_521, 32);
            prefix(
                    b,
                    HeaderWord.IPV4_DST,
                    (sources < destinations ? i % destinations : i / (size / destinations))
                            * 131_101,
                    30);
            rules.add(new Rule(i + 1, i, b.build(), "a", i + 1));
        }
        return RuleSet.of(name, 1, RuleSet.DROP, rules);
    }

    /** Long lists of services between few addresses; some ask for the ports under a mask. */
    private static RuleSet services(String name, Random random, int size, int portMask) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, address(random), 2 * random.nextInt(2));
            prefix(b, HeaderWord.IPV4_DST, address(random), 2 * random.nextInt(2));
            int low = random.nextInt(60);
            switch (random.nextInt(5)) {
                case 0 -> b.ports(Field.DST_PORT, low, low);
                case 1 -> b.ports(Field.DST_PORT, low, low + random.nextInt(9));
                case 2 -> b.ports(Field.DST_PORT, low, 65_535).ports(Field.SRC_PORT, 0, low);
                case 3 -> b.ports(Field.SRC_PORT, low, low + 3);
                default -> b.word(HeaderWord.PORTS, low << 4 & portMask, portMask);
            }
            if (random.nextInt(3) > 0) {
                b.field(Field.IP_PROTO, random.nextInt(3) * 6);
            }
            rules.add(new Rule(i + 1, random.nextInt(size), b.build(), "a", i + 1));
        }
        return RuleSet.of(name, 1, RuleSet.DROP, rules);
    }

    /**
     * Long lists of which half the rules name a source port or a few, the others a destination
     * port, and so many more that name ranges of both, which lie within each other.
     */
    private static RuleSet bothPorts(String name, Random random, int ofBoth) {
        List<Rule> rules = new ArrayList<>();
        int size = 600 + ofBoth;
        for (int i = 0; i < size; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, random.nextInt(2) << 30, 2);
            prefix(b, HeaderWord.IPV4_DST, random.nextInt(2) << 30, 2 * random.nextInt(2));
            int low = random.nextInt(0x1_0000);
            if (i < 600) {
                Field named = random.nextBoolean() ? Field.SRC_PORT : Field.DST_PORT;
                b.ports(named, low, Math.min(0xffff, low + random.nextInt(3)));
            } else {
                b.ports(Field.SRC_PORT, random.nextInt(low + 1), low);
                b.ports(Field.DST_PORT, low, low + random.nextInt(0x1_0000 - low));
            }
            b.field(Field.IP_PROTO, random.nextBoolean() ? 6 : 17);
            rules.add(new Rule(i + 1, random.nextInt(size), b.build(), "a", i + 1));
        }
        return RuleSet.of(name, 1, RuleSet.DROP, rules);
    }

    /** These lists are searched by both ports, and an index shortens the searches. */
    @Test
    void longListsOfBothPortsAreDividedAndHaveAnIndex() {
        CrossproductLimits services = limits(0, 0, 0, 0, 0);
        RuleSet rules = bothPorts("source or destination", TestSeed.random(17), 0);
        assertEquals(
                CrossproductLayout.BY_SERVICE, head(rules, CrossproductLayout.LIST_FORM, services));
        assertEquals(
                CrossproductLayout.DIVIDED | CrossproductLayout.INDEXED,
                head(rules, CrossproductLayout.LIST_FLAGS, services));
    }

    /** Rules that are left out of the chains are tried on all their intervals nevertheless. */
    @Test
    void rulesThatHoldOnlyWhereBetterOnesDoAreTriedSoOftenAndNoMore() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, 0, 2);
            b.ports(Field.SRC_PORT, 1024, 0xffff).ports(Field.DST_PORT, i, 0xffff - i);
            rules.add(new Rule(i + 1, -i, b.build(), "a", i + 1));
        }
        RuleSet nested = RuleSet.of("nested ranges", 1, RuleSet.DROP, rules);
        CrossproductLimits services = limits(0, 0, 0, 0, 0);
        BuildMeter meter = new BuildMeter("pairs", BUDGET);
        assertThrows(
                UnsupportedRulesException.class,
                () -> CrossproductCompiler.compile(nested, meter, services));
    }

    private static void prefix(Match.Builder b, int word, int value, int length) {
        b.word(word, value, length == 0 ? 0 : -1 << 32 - length);
    }

    private static int address(Random random) {
        return random.nextInt(3) << 30 | random.nextInt(3) << 15 | random.nextInt(300);
    }

    /** A chunk of more prefixes than a search may have falls back to tables. */
    @Test
    void crowdedChunksFallBack() throws Exception {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            Match.Builder b = new Match.Builder();
            prefix(b, HeaderWord.IPV4_SRC, i * 3, 32);
            rules.add(new Rule(i + 1, i, b.build(), "a", i + 1));
        }
        RuleSet crowded = RuleSet.of("crowded", 1, RuleSet.DROP, rules);
        check(ALL, story(crowded), true);
    }

    /**
     * Between few prefixes a cell names the best rules, however many kinds of services there are.
     */
    @Test
    void manyKindsBetweenFewPrefixesAreRowsOfVerdicts() throws Exception {
        RuleSet rules = manyKinds("many kinds", 1_500, 0);
        assertEquals(CrossproductLayout.BY_CLASS, listForm(rules));
        check(ALL, story(rules), true);
    }

    /** Rules for all pairs and most services would each be painted over the whole matrix. */
    @Test
    void manyWideRulesAreNotPainted() throws Exception {
        RuleSet rules = manyKinds("many wide rules", 1_500, 600);
        assertEquals(
                CrossproductLayout.BY_CLASS, listForm(manyKinds("some wide rules", 1_500, 20)));
        assertNotEquals(CrossproductLayout.BY_CLASS, listForm(rules));
        check(ALL, story(rules), true);
    }

    private static int listForm(RuleSet rules) {
        return head(rules, CrossproductLayout.LIST_FORM, ALL);
    }

    private static int head(RuleSet rules, int word, CrossproductLimits limits) {
        Image image = CrossproductCompiler.compile(rules, new BuildMeter("pairs", BUDGET), limits);
        return image.words()[image.words()[CrossproductLayout.HEAD_AT] + word];
    }

    /** A service of its own a rule between 40 hosts each side, behind rules for all of them. */
    private static RuleSet manyKinds(String name, int size, int wide) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size + wide; i++) {
            Match.Builder b = new Match.Builder();
            if (i < size) {
                prefix(b, HeaderWord.IPV4_SRC, i % 40 << 12, 32);
                prefix(b, HeaderWord.IPV4_DST, i / 40 << 12, 32);
                b.ports(Field.DST_PORT, 7 * i % 400, 7 * i % 400);
            } else {
                b.ports(Field.DST_PORT, (i - size) / 100, 60_000);
            }
            rules.add(new Rule(i + 1, size + wide - i, b.build(), "a", i + 1));
        }
        return RuleSet.of(name, 1, RuleSet.DROP, rules);
    }
}
