package dev.sluice.engine.exact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** OpenFlow's older order: an exact entry wins over every wildcard rule. */
class ExactFirstTest {
    @ParameterizedTest
    @EnumSource(
            value = Shape.class,
            names = {"IPV4_5_TUPLE", "OPENFLOW"})
    void exactEntriesBeatWildcardsWhereTheOptionSaysSo(Shape shape) {
        RandomRules random = new RandomRules(TestSeed.of(11 + shape.ordinal()));
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
        RuleSet all = RuleSet.inListOrder("exact", 1, RuleSet.DROP, rules);
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
}
