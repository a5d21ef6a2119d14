package dev.sluice.engine.crossproduct;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.AlgorithmsAgreeTest;
import dev.sluice.engine.HostKernels;
import dev.sluice.engine.HostLookUpTest;
import dev.sluice.engine.RandomRules;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each form of address pairs, which otherwise rule sets of their own sizes choose, is exact. */
class CrossproductFormsTest {
    private static final long BUDGET = 64L << 20;
    private static final CrossproductLimits ALL = CrossproductLimits.STANDARD;

    @TempDir static Path folder;

    @BeforeAll
    static void compile() throws Exception {
        HostLookUpTest.use(new HostKernels(folder));
    }

    static Stream<Arguments> forms() {
        List<Arguments> all = new ArrayList<>();
        for (long levels : new long[] {0, ALL.levelBytes()}) {
            for (long direct : new long[] {0, ALL.directAtLeast()}) {
                for (int listed : new int[] {0, 1_000}) {
                    for (long patterns : new long[] {0, ALL.patternBytes()}) {
                        CrossproductLimits limits =
                                new CrossproductLimits(
                                        levels,
                                        direct,
                                        direct == 0 ? 0 : ALL.directUpTo(),
                                        listed,
                                        patterns);
                        all.add(Arguments.of(limits));
                    }
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("forms")
    void everyFormGivesTheOraclesAnswer(CrossproductLimits limits) throws Exception {
        for (RandomRules.Shape shape :
                List.of(
                        RandomRules.Shape.PREFIXES,
                        RandomRules.Shape.IPV4_ROUTES,
                        RandomRules.Shape.IPV6_ROUTES)) {
            for (int size : new int[] {0, 1, 9, 400}) {
                RandomRules random = new RandomRules(size * 31L + shape.ordinal());
                check(limits, random.ruleSet(shape, size), random, shape + " " + size);
            }
        }
        RandomRules random = new RandomRules(5);
        check(limits, nested(new Random(7), 600), random, "nested");
        check(limits, between(300, 300, 280), random, "one to one");
        check(limits, between(300, 3, 300), random, "lists by destination");
        check(limits, between(300, 300, 3), random, "lists by source");
        check(limits, between(4_000, 50, 80), random, "too long for lists");
    }

    private static void check(
            CrossproductLimits limits, RuleSet rules, RandomRules random, String story)
            throws Exception {
        Image image;
        try {
            image = CrossproductCompiler.compile(rules, BUDGET, limits);
        } catch (UnsupportedRulesException e) {
            assertTrue(story.startsWith("PREFIXES"), () -> story + ": " + e.getMessage());
            return;
        }
        AlgorithmsAgreeTest.assertAgrees(
                new CrossproductClassifier(image), rules, random, 700, limits + " " + story);
        for (String kernel : KernelCatalog.names(Algorithm.of("pairs"))) {
            int[] plan = KernelCatalog.parameters(kernel, image);
            if (plan != null && KernelCatalog.onHost(kernel)) {
                HostLookUpTest.check(rules, random, image, plan, kernel + " " + limits + story);
            }
        }
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

    /** Rules between so many sources and destinations. */
    private static RuleSet between(int size, int sources, int destinations) {
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
        return RuleSet.of("between", 1, RuleSet.DROP, rules);
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
        check(ALL, crowded, new RandomRules(3), "crowded");
    }
}
