package dev.sluice.engine.family;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules in parts by the IP version, and headers in parts by theirs. */
class FamiliesTest {
    private static final int[] VERSIONS = {0, Field.VERSION_4, Field.VERSION_6, 3};

    private static Match.Builder ipv4(int source) {
        return new Match.Builder()
                .field(Field.IP_VERSION, Field.VERSION_4)
                .field(Field.IPV4_SRC, source);
    }

    private static Match.Builder ipv6(int source) {
        byte[] address = new byte[16];
        address[15] = (byte) source;
        byte[] mask = new byte[16];
        Arrays.fill(mask, (byte) -1);
        return new Match.Builder()
                .field(Field.IP_VERSION, Field.VERSION_6)
                .ipv6(Field.IPV6_SRC, address, mask);
    }

    private static Match.Builder any() {
        return new Match.Builder().field(Field.IP_PROTO, 6);
    }

    private static RuleSet rules(Match.Builder... matches) {
        List<Rule> rules = new ArrayList<>();
        for (Match.Builder match : matches) {
            rules.add(new Rule(rules.size(), 0, match.build(), "a", 1 + rules.size()));
        }
        return RuleSet.of("families", 1, RuleSet.DROP, rules);
    }

    @Test
    void aPartHasTheRulesThatItsVersionsAllow() {
        RuleSet rules = rules(ipv4(1), ipv6(2), any(), ipv4(3));
        List<FamilySplit.Part> parts = FamilySplit.of(rules).parts();
        assertEquals(
                List.of(0b1001, 0b0010, 0b0100),
                parts.stream().map(FamilySplit.Part::values).toList());
        assertArrayEquals(new int[] {2}, parts.get(0).positions());
        assertArrayEquals(new int[] {0, 2, 3}, parts.get(1).positions());
        assertArrayEquals(new int[] {1, 2}, parts.get(2).positions());
        assertEquals(
                HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IP), parts.get(1).rules().layout());
        for (FamilySplit.Part part : parts) {
            for (Rule rule : part.rules().rules()) {
                int mask = rule.match().mask(HeaderWord.IP);
                assertEquals(0, mask & Field.IP_VERSION.maskInWord(), rule::toString);
            }
        }
    }

    @Test
    void aBitOfTheVersionAllowsTwo() {
        Match.Builder low = new Match.Builder().field(Field.IP_VERSION, 1, 1);
        Match.Builder none = new Match.Builder().field(Field.IP_VERSION, Field.VERSION_NONE);
        List<FamilySplit.Part> parts = FamilySplit.of(rules(low, none)).parts();
        assertEquals(
                List.of(0b0001, 0b1010), parts.stream().map(FamilySplit.Part::values).toList());
        assertEquals(0, parts.get(0).rules().layout().size());
    }

    @Test
    void rulesThatNameNoVersionAreOnePart() {
        List<FamilySplit.Part> parts = FamilySplit.of(rules(any(), any())).parts();
        assertEquals(List.of(0b1111), parts.stream().map(FamilySplit.Part::values).toList());
        assertTrue(FamilySplit.of(rules()).parts().isEmpty());
    }

    @Test
    void cuttingPaysWhereEveryPartLooksAtFewerWords() {
        assertTrue(FamilySplit.narrows(rules(ipv4(1), ipv6(2), any())));
        assertFalse(FamilySplit.narrows(rules(ipv4(1), any())), "one family");
        assertFalse(FamilySplit.narrows(rules(any())), "no family");
        assertFalse(FamilySplit.narrows(rules()), "no rules");
        Match.Builder ofNoFamily = new Match.Builder().field(Field.IPV4_SRC, 7);
        assertTrue(FamilySplit.narrows(rules(ipv4(1), ipv6(2))));
        assertFalse(
                FamilySplit.narrows(rules(ipv4(1), ipv6(2), ofNoFamily)),
                "IPv6 headers are compared with an IPv4 address, too");
        assertFalse(
                FamilySplit.narrows(rules(ipv4(1), ipv6(2), any(), any(), any(), any())),
                "most rules would stand there three times");
    }

    /** Batches around the size of a block, of headers of one version and of all. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0b0010, 0b0110, 0b1001, 0b1111})
    void everyHeaderIsLookedUpAmongTheRulesOfItsVersion(int versions) {
        long seed = TestSeed.of(18);
        RandomRules random = new RandomRules(seed);
        RuleSet rules = random.ruleSet(Shape.DUAL_STACK, 200);
        Classifier classifier = compile(rules, "merged-tuple");
        int block = FamiliesClassifier.BLOCK;
        for (int size : new int[] {0, 1, block - 1, block, block + 1, 2 * block + 900}) {
            HeaderBatch batch = new HeaderBatch(rules.layout(), size + 3);
            int[] expected = new int[size];
            for (int i = 0; i < size; i++) {
                int[] header = random.header(rules);
                int version = VERSIONS[random.below(4)];
                if (versions != 0 && (versions >>> version & 1) == 0) {
                    version = Integer.numberOfTrailingZeros(versions);
                }
                if (versions != 0) {
                    header[HeaderWord.IP] &= ~Field.IP_VERSION.maskInWord();
                    header[HeaderWord.IP] |= Field.IP_VERSION.place(version);
                }
                batch.add(header);
                expected[i] = FirstMatch.classify(rules, header);
            }
            VerdictBatch verdicts = new VerdictBatch(size + 3);
            Arrays.fill(verdicts.rules(), 77);
            classifier.classify(batch, verdicts);
            assertArrayEquals(expected, Arrays.copyOf(verdicts.rules(), size));
            assertEquals(77, verdicts.rule(size), "written behind the batch");
        }
    }

    @Test
    void versionsThatNoRuleAllowsAreMisses() {
        RuleSet rules = rules(ipv6(2));
        HeaderBatch batch = new HeaderBatch(rules.layout(), 4);
        for (int version : VERSIONS) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IP] = Field.IP_VERSION.place(version);
            header[HeaderWord.IPV6_SRC + 3] = 2;
            batch.add(header);
        }
        VerdictBatch verdicts = new VerdictBatch(4);
        compile(rules, "linear").classify(batch, verdicts);
        assertArrayEquals(new int[] {-1, -1, 0, -1}, verdicts.rules());
    }

    @Test
    void autoCutsRulesOfBothFamilies() {
        EngineOptions auto = EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF);
        List<Match.Builder> matches = new ArrayList<>(List.of(any()));
        for (int r = 0; r < 60; r++) {
            matches.add(r % 2 == 0 ? ipv4(r) : ipv6(r));
        }
        RuleSet both = rules(matches.toArray(Match.Builder[]::new));
        try (Engine engine = Engine.open(both, auto)) {
            assertEquals(Algorithm.of("families"), engine.current().algorithm());
            String said = engine.current().explanation();
            assertTrue(said.contains("IPv4 rfc of 31 rules"), said);
            assertTrue(said.contains("no IP and unknown IP linear of 1 rules"), said);
        }
    }

    /** Rules of one family change: the other family's image is not compiled again. */
    @Test
    void aPartWhoseRulesStayKeepsItsImage() {
        List<Integer> compiled = new ArrayList<>();
        CompileContext context =
                new CompileContext(
                        CompileContext.DEFAULT_BUDGET_BYTES,
                        AlgorithmOptions.DEFAULTS,
                        (rules, choice, own) -> {
                            compiled.add(rules.size());
                            return Algorithm.openImage(Algorithm.of("linear").compile(rules, own));
                        });
        BaseCompiler bases = Algorithm.of("families").bases(context);
        bases.compile(rules(ipv4(1), ipv4(2), ipv6(3)));
        assertEquals(List.of(2, 1), compiled);
        RuleSet later = rules(ipv6(4), ipv4(1), ipv4(2), ipv6(3), ipv6(5));
        Classifier next = bases.compile(later);
        assertEquals(List.of(2, 1, 3), compiled);
        HeaderBatch batch = new HeaderBatch(later.layout(), 2);
        for (int source : new int[] {2, 3}) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IP] = Field.IP_VERSION.place(source == 2 ? 1 : 2);
            header[HeaderWord.IPV4_SRC] = source;
            header[HeaderWord.IPV6_SRC + 3] = source;
            batch.add(header);
        }
        VerdictBatch verdicts = new VerdictBatch(2);
        next.classify(batch, verdicts);
        assertArrayEquals(new int[] {2, 3}, verdicts.rules());
    }

    private static Classifier compile(RuleSet rules, String inner) {
        return Engine.compile(
                rules,
                EngineOptions.of(Algorithm.of("families"))
                        .with(FamiliesAlgorithm.INNER, Algorithm.of(inner).choice()));
    }
}
