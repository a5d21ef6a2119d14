package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.exact.ExactFirstAlgorithm;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.LayoutMismatchException;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleAlgorithm;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every algorithm gives the oracle's answer. A failure names seed, shape and sizes to replay it.
 */
public class AlgorithmsAgreeTest {
    /** What each algorithm must serve; of the other shapes it may refuse rule sets by name. */
    static final Map<String, Set<RandomRules.Shape>> MAY_REFUSE =
            Map.of(
                    "bitvector",
                    EnumSet.complementOf(
                            EnumSet.of(
                                    RandomRules.Shape.PREFIXES,
                                    RandomRules.Shape.IPV4_ROUTES,
                                    RandomRules.Shape.IPV6_ROUTES)),
                    "pairs",
                    EnumSet.complementOf(
                            EnumSet.of(
                                    RandomRules.Shape.IPV4_ROUTES, RandomRules.Shape.IPV6_ROUTES)),
                    "rfc",
                    EnumSet.complementOf(EnumSet.of(RandomRules.Shape.PREFIXES)),
                    "bitmap-rfc",
                    EnumSet.complementOf(EnumSet.of(RandomRules.Shape.PREFIXES)),
                    "routes",
                    EnumSet.complementOf(
                            EnumSet.of(
                                    RandomRules.Shape.IPV4_ROUTES, RandomRules.Shape.IPV6_ROUTES)));

    private static final long TEST_BUDGET = 48L << 20;

    /** The tables of DIR-24-8 alone take 64 MB. */
    private static final long ROUTES_BUDGET = 128L << 20;

    /** Every algorithm, and auto. */
    static List<AlgorithmChoice> choices() {
        return AlgorithmChoice.labels().stream().map(AlgorithmChoice::parse).toList();
    }

    /** Every algorithm but that of routes, which serves other rules. */
    static List<Algorithm> algorithms() {
        return Algorithm.all().stream().filter(a -> !a.label().equals("routes")).toList();
    }

    static Stream<Arguments> stories() {
        List<Arguments> all = new ArrayList<>();
        for (AlgorithmChoice algorithm : choices()) {
            for (RandomRules.Shape shape : RandomRules.Shape.values()) {
                for (long seed = 1; seed <= 2; seed++) {
                    all.add(Arguments.of(algorithm, shape, seed));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("stories")
    void everyAlgorithmGivesTheOraclesAnswer(
            AlgorithmChoice algorithm, RandomRules.Shape shape, long seed) {
        RandomRules random = new RandomRules(seed * 1000 + shape.ordinal());
        int served = 0;
        boolean mayRefuse =
                MAY_REFUSE
                        .getOrDefault(algorithm.label(), EnumSet.noneOf(RandomRules.Shape.class))
                        .contains(shape);
        for (int size : new int[] {0, 1, 2, 7, 40, 300, 1000}) {
            RuleSet rules = random.ruleSet(shape, size);
            boolean tables =
                    algorithm.label().equals("rfc") || algorithm.label().equals("bitmap-rfc");
            if (tables && size > 40 && shape != RandomRules.Shape.PREFIXES) {
                continue; // random ranges only make its tables run into the budget
            }
            for (EngineOptions options : variants(algorithm, size)) {
                String story = options + " " + shape + " seed " + seed + " size " + size;
                Classifier classifier;
                try {
                    classifier = Engine.compile(rules, options);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    assertTrue(mayRefuse, () -> story + " was refused: " + e.getMessage());
                    assertTrue(e.getMessage().contains(algorithm.label()), e.getMessage());
                    continue;
                }
                served++;
                assertAgrees(classifier, rules, random, 500, story);
            }
        }
        assertTrue(served > 0, "not even an empty rule set was served");
    }

    /** Every form of an algorithm. */
    static List<EngineOptions> variants(AlgorithmChoice algorithm, int size) {
        EngineOptions plain =
                EngineOptions.DEFAULTS
                        .withAlgorithm(algorithm)
                        .withBudget(
                                algorithm.label().equals("routes") ? ROUTES_BUDGET : TEST_BUDGET);
        List<EngineOptions> all = new ArrayList<>(List.of(plain));
        if (size < 1000) {
            switch (algorithm.label()) {
                case "tuple" -> all.add(plain.with(TupleAlgorithm.EXPAND_RANGES, true));
                case "bitmap-rfc" -> all.add(plain.with(RfcForm.OPTION, RfcForm.EXACT));
                case "hash-tree" -> {
                    all.add(plain.with(HashTreeAlgorithm.THRESHOLD, 1));
                    all.add(plain.with(HashTreeAlgorithm.THRESHOLD, 1000));
                }
                case "exact-first" ->
                        all.add(
                                plain.with(ExactFirstAlgorithm.EXACT_WINS, false)
                                        .with(
                                                ExactFirstAlgorithm.INNER,
                                                AlgorithmChoice.of(Algorithm.of("merged-tuple"))));
                default -> {}
            }
        }
        return all;
    }

    public static void assertAgrees(
            Classifier classifier, RuleSet rules, RandomRules random, int headers, String story) {
        HeaderBatch batch = new HeaderBatch(rules.layout(), headers + 5);
        VerdictBatch verdicts = new VerdictBatch(headers);
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            int[] header = random.header(rules);
            asked.add(header);
            batch.add(header);
        }
        classifier.classify(batch, verdicts);
        for (int i = 0; i < headers; i++) {
            int expected = Oracle.classify(rules, asked.get(i));
            int header = i;
            assertEquals(expected, verdicts.rule(i), () -> story + " header " + header);
        }
    }

    @ParameterizedTest
    @MethodSource("choices")
    void ranksHoldFor131072RulesWithTies(AlgorithmChoice algorithm) {
        // 131,072 rules, 16-bit priorities, two rules of each priority: of two equal matches the
        // elder wins.
        int n = 131_072;
        List<Rule> byAge = new ArrayList<>(n);
        for (int i = 0; i < n; i++) {
            int twin = i % (n / 2);
            Match match =
                    new Match.Builder()
                            .field(
                                    Field.IPV4_SRC,
                                    Integer.reverse(twin),
                                    i < n / 4 ? -1 : 0xffffff00 | twin)
                            .field(Field.IP_PROTO, twin & 1)
                            .build();
            byAge.add(new Rule(i, twin & 0xffff, match, "a", i + 1));
        }
        RuleSet rules = RuleSet.of("ties", 1, RuleSet.DROP, byAge);
        Classifier classifier;
        try {
            classifier =
                    Engine.compile(
                            rules,
                            EngineOptions.DEFAULTS
                                    .withAlgorithm(algorithm)
                                    .withBudget(TEST_BUDGET));
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            assertTrue(MAY_REFUSE.containsKey(algorithm.label()), e.getMessage());
            return;
        }
        assertAgrees(
                classifier,
                rules,
                new RandomRules(7),
                algorithm.label().equals("linear") ? 256 : 600,
                algorithm.label());
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void anImageServesFromACopyOfItsBytes(Algorithm algorithm) {
        RandomRules random = new RandomRules(99);
        RuleSet rules = random.ruleSet(RandomRules.Shape.PREFIXES, 60);
        Image image = Engine.compile(rules, EngineOptions.of(algorithm)).image();
        Classifier reopened = Algorithm.openImage(Image.open(image.words().clone()));
        assertAgrees(reopened, rules, random, 500, "reopened " + algorithm);
        int[] damaged = image.words().clone();
        damaged[damaged.length - 1] ^= 1;
        String message =
                assertThrows(IllegalArgumentException.class, () -> Image.open(damaged))
                        .getMessage();
        assertTrue(message.contains("damaged"), message);
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void aBudgetStopsABuildAndSaysWhatItNeeds(Algorithm algorithm) {
        RuleSet rules = new RandomRules(5).ruleSet(RandomRules.Shape.PREFIXES, 500);
        Compiler compiler = new Compiler(EngineOptions.of(algorithm).withBudget(4096));
        String message =
                assertThrows(MemoryBudgetException.class, () -> compiler.compile(rules))
                        .getMessage();
        assertTrue(message.contains("4,096") && message.contains("--memory-budget"), message);
    }

    @Test
    void aBatchOfAnotherLayoutIsRefused() {
        RuleSet rules = new RandomRules(5).ruleSet(RandomRules.Shape.IPV4_5_TUPLE, 50);
        Classifier classifier = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        HeaderBatch other = new HeaderBatch(HeaderLayout.of(HeaderWord.IN_PORT), 4);
        assertThrows(
                LayoutMismatchException.class,
                () -> classifier.classify(other, new VerdictBatch(4)));
    }

    @ParameterizedTest
    @EnumSource(
            value = RandomRules.Shape.class,
            names = {"IPV4_5_TUPLE", "OPENFLOW"})
    void exactEntriesBeatWildcardsWhereTheOptionSaysSo(RandomRules.Shape shape) {
        RandomRules random = new RandomRules(11 + shape.ordinal());
        EngineOptions options =
                EngineOptions.of(Algorithm.of("exact-first"))
                        .with(ExactFirstAlgorithm.EXACT_WINS, true)
                        .with(
                                ExactFirstAlgorithm.INNER,
                                AlgorithmChoice.of(Algorithm.of("merged-tuple")));
        RuleSet wild = random.ruleSet(shape, 300);
        int[] full = new int[HeaderWord.COUNT];
        for (Rule rule : wild.rules()) {
            for (int w = 0; w < full.length; w++) {
                full[w] |= rule.match().mask(w);
            }
        }
        full[HeaderWord.PORTS] = -1; // the rules have ranges
        List<Rule> rules = new ArrayList<>(wild.rules());
        for (int k = 0; k < 200; k++) {
            int[] header = random.header(wild);
            Match.Builder b = new Match.Builder();
            for (int w = 0; w < full.length; w++) {
                if (w != HeaderWord.PORTS) {
                    b.word(w, header[w] & full[w], full[w]);
                }
            }
            int src = header[HeaderWord.PORTS] >>> 16;
            int dst = header[HeaderWord.PORTS] & 0xffff;
            b.ports(Field.SRC_PORT, src, src).ports(Field.DST_PORT, dst, dst);
            rules.add(new Rule(1_000_000 + k, random.below(600), b.build(), "exact", 0));
        }
        RuleSet all = RuleSet.of("exact", 1, RuleSet.DROP, rules);
        Classifier compiled = Engine.compile(all, options);
        try (LiveClassifier live = Engine.live(all, options)) {
            HeaderBatch batch = new HeaderBatch(all.layout(), 2000);
            VerdictBatch verdicts = new VerdictBatch(2000);
            VerdictBatch inForce = new VerdictBatch(2000);
            List<int[]> asked = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                int[] header = random.header(all);
                asked.add(header);
                batch.add(header);
            }
            compiled.classify(batch, verdicts);
            live.classify(batch, inForce);
            int overruled = 0;
            for (int i = 0; i < 2000; i++) {
                int expected = exactFirst(all, asked.get(i));
                overruled += expected == Oracle.classify(all, asked.get(i)) ? 0 : 1;
                assertEquals(expected, verdicts.rule(i));
                assertEquals(
                        expected < 0 ? 0 : all.rules().get(expected).id(),
                        inForce.rule(i) < 0 ? 0 : inForce.ids()[i]);
            }
            assertTrue(overruled > 20, "an exact entry overruled a better rule " + overruled);
        }
    }

    /** OpenFlow 0.8.9: the best exact entry, and only without one the best wildcard rule. */
    private static int exactFirst(RuleSet rules, int[] header) {
        int wildcard = VerdictBatch.MISS;
        for (int r = 0; r < rules.size(); r++) {
            Rule rule = rules.rules().get(r);
            if (rule.match().matches(header)) {
                if (rule.action().equals("exact")) {
                    return r;
                }
                wildcard = wildcard == VerdictBatch.MISS ? r : wildcard;
            }
        }
        return wildcard;
    }

    @Test
    void hostileRulesStayWithinTheCopiesThatTheForestMayMake() {
        // Each rule names one bit somewhere: every cut copies nearly every rule.
        List<Rule> byAge = new ArrayList<>();
        for (int i = 0; i < 131_072; i++) {
            int mask = 1 << i % 32 | 1 << i / 32 % 32;
            Match match =
                    new Match.Builder()
                            .word(HeaderWord.IPV4_SRC, i * 0x9e3779b1, mask)
                            .word(
                                    HeaderWord.IPV4_DST,
                                    i * 0x85ebca6b,
                                    Integer.reverse(mask) | 1 << i % 29)
                            .build();
            byAge.add(new Rule(i, i * 7919 % 65_536, match, "a", i + 1));
        }
        RuleSet rules = RuleSet.of("hostile", 1, RuleSet.DROP, byAge);
        Classifier classifier =
                Engine.compile(
                        rules, EngineOptions.of(Algorithm.of("forest")).withBudget(64L << 20));
        assertTrue(classifier.image().bytes() <= 64L << 20);
        assertAgrees(classifier, rules, new RandomRules(3), 200, "hostile");
    }
}
