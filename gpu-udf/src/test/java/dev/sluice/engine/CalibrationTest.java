package dev.sluice.engine;

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

/** What a calibration compiles for all rules, with rates that it is told. */
class CalibrationTest {
    private static final Algorithm PAIRS = Algorithm.of("pairs");
    private static final Algorithm MERGED_TUPLE = Algorithm.of("merged-tuple");

    /** Rules that name a source each, under a mask. */
    private static Attempts attempts(int count, int mask) {
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < count; r++) {
            Match match = new Match.Builder().word(HeaderWord.IPV4_SRC, r, mask).build();
            rules.add(new Rule(r, -r, match, "drop", r + 1));
        }
        return new Attempts(RuleSet.of("sources", 1, RuleSet.DROP, rules), EngineOptions.DEFAULTS);
    }

    /** Says that pairs are twice as fast as all else. */
    private static final RateMeter METER =
            new RateMeter() {
                @Override
                public double[] rates(RuleSet rules, List<Classifier> classifiers) {
                    return classifiers.stream()
                            .mapToDouble(c -> c.image().algorithm() == PAIRS.code() ? 20 : 10)
                            .toArray();
                }

                @Override
                public String text(double rate) {
                    return String.valueOf(rate);
                }
            };

    private static Calibration.Outcome choose(int mostBuilds) {
        // Pairs serve prefixes alone.
        Attempts part = attempts(10, 0xff);
        assertNull(part.by(PAIRS));
        return new Calibration(
                        attempts(100, -1),
                        part,
                        METER,
                        mostBuilds,
                        EngineOptions.DEFAULTS.budgetBytes())
                .fastest(List.of(PAIRS, MERGED_TUPLE), 0);
    }

    @Test
    void whatRefusesThePartIsTriedOnAllRules() {
        Classifier fastest = choose(Integer.MAX_VALUE).fastest();
        assertNotNull(fastest);
        assertEquals(PAIRS, Algorithm.ofCode(fastest.image().algorithm()));
    }

    @Test
    void whatWasNotTriedHasNoRate() {
        assertEquals(List.of("merged-tuple 10.0"), choose(1).measured());
    }
}
