package dev.sluice.engine.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Candidates that a calibration compiles for all rules, with rates that it is told. */
class CalibrationTest {
    private static final Algorithm PAIRS = Algorithm.of("pairs");
    private static final Algorithm MERGED_TUPLE = Algorithm.of("merged-tuple");
    private static final int ALL = 100;

    /** Pairs serve prefixes alone. */
    private static final int NO_PREFIX = 0xff;

    /** Rules that name a source each, under a mask. */
    private static Attempts attempts(int count, int mask) {
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < count; r++) {
            Match match = new Match.Builder().word(HeaderWord.IPV4_SRC, r, mask).build();
            rules.add(new Rule(r, -r, match, "drop", r + 1));
        }
        RuleSet set = RuleSet.of("sources", 1, RuleSet.DROP, rules);
        return new Attempts(set, CompileOptions.DEFAULTS, new Compiler(CompileOptions.DEFAULTS));
    }

    /** Says that pairs have a rate that falls with the rules, and all else 10. */
    private static RateMeter pairsAt(double onPart, double onAll) {
        return new RateMeter() {
            @Override
            public double[] rates(RuleSet rules, List<Classifier> classifiers) {
                double pairs = rules.size() == ALL ? onAll : onPart;
                return classifiers.stream()
                        .mapToDouble(c -> c.image().algorithm() == PAIRS.code() ? pairs : 10)
                        .toArray();
            }

            @Override
            public String text(double rate) {
                return String.valueOf(rate);
            }
        };
    }

    /** A choice between both, with a part of ten rules under a mask. */
    private static Calibration.Outcome choose(
            int partsMask, RateMeter meter, int mostBuilds, double mostBehind) {
        return choose(-1, partsMask, meter, mostBuilds, mostBehind);
    }

    private static Calibration.Outcome choose(
            int mask, int partsMask, RateMeter meter, int mostBuilds, double mostBehind) {
        return new Calibration(
                        attempts(ALL, mask),
                        attempts(10, partsMask),
                        meter,
                        mostBuilds,
                        mostBehind,
                        CompileOptions.DEFAULTS.budgetBytes())
                .fastest(List.of(PAIRS, MERGED_TUPLE), 0);
    }

    private static void assertFastest(Algorithm expected, Calibration.Outcome outcome) {
        Classifier fastest = outcome.fastest();
        assertNotNull(fastest);
        assertEquals(expected, Algorithm.ofCode(fastest.image().algorithm()));
    }

    @Test
    void whatRefusesThePartIsTriedOnAllRules() {
        assertNull(attempts(10, NO_PREFIX).by(PAIRS));
        assertFastest(PAIRS, choose(NO_PREFIX, pairsAt(20, 20), Integer.MAX_VALUE, 2));
    }

    /** Far behind one that serves the part alone is not far behind. */
    @Test
    void whatIsFarBehindOneThatRefusesAllRulesIsTried() {
        assertFastest(MERGED_TUPLE, choose(NO_PREFIX, -1, pairsAt(100, 100), Integer.MAX_VALUE, 2));
    }

    /** Pairs have 100 on the part and 5 on all rules, merged tuples 10 on both. */
    @Test
    void whatIsFarBehindOneThatDoesNotKeepItsRateIsTried() {
        assertFastest(MERGED_TUPLE, choose(-1, -1, pairsAt(100, 5), Integer.MAX_VALUE, 2));
        assertFastest(PAIRS, choose(-1, -1, pairsAt(100, 20), Integer.MAX_VALUE, 2));
    }

    @Test
    void whatWasNotTriedHasNoRate() {
        Calibration.Outcome outcome = choose(NO_PREFIX, pairsAt(20, 20), 1, 2);
        assertEquals(List.of("merged-tuple 10.0"), outcome.measured());
    }

    @Test
    void theOrderOnThePartMayTurn() {
        assertFastest(MERGED_TUPLE, choose(-1, pairsAt(20, 5), Integer.MAX_VALUE, 2));
    }

    @Test
    void whatIsFarBehindOnThePartIsNotCompiledForAllRules() {
        Calibration.Outcome outcome = choose(-1, pairsAt(21, 5), Integer.MAX_VALUE, 2);
        assertFastest(PAIRS, outcome);
        assertEquals(List.of("pairs 5.0", "merged-tuple 10.0 on a part"), outcome.measured());
    }
}
