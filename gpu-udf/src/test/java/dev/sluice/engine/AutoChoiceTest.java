package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.routes.RouteCompiler;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Candidates of {@code auto} by the fields that the rules name. */
class AutoChoiceTest {
    /** More rules than RFC is taken for without a measurement. */
    private static final int RULES = 12_100;

    @Test
    void routesAreMeasuredWhereAllRulesArePrefixesOfOneAddress() {
        RuleStory story = RuleStory.random(TestSeed.of(41), Shape.BACKBONE, RULES, 0, 300);
        try (Engine engine = Engine.open(story.ruleSet(), EngineOptions.DEFAULTS)) {
            String reason = engine.current().explanation();
            assertTrue(reason.matches(".*\\broutes [0-9.]+.*"), reason);
            HeaderBatch headers = engine.current().newBatch(story.headers().size());
            story.headers().forEach(headers::add);
            VerdictBatch verdicts = engine.classify(headers);
            SameVerdicts.assertPositions(story, "auto", verdicts.rules());
        }
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void onlyRulesThatNameOneAddressMayBeRoutes(Shape shape) {
        RandomRules random = new RandomRules(TestSeed.of(42));
        assertEquals(
                shape.routes(),
                RouteCompiler.namesOneAddress(random.ruleSet(shape, 200)),
                shape.label());
    }

    @Test
    void fewMasksWithMacAddressesAreTakenWithoutAMeasurement() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(44));
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < 500; r++) {
            Match match =
                    new Match.Builder()
                            .mac(Field.ETH_SRC, random.nextLong(1L << 48), (1L << 48) - 1)
                            .field(Field.IPV4_SRC, random.nextInt())
                            .build();
            rules.add(new Rule(r, 0, match, "a" + r, r + 1));
        }
        RuleSet set = RuleSet.of("macs", 1, RuleSet.DROP, rules);
        try (Engine engine = Engine.open(set, EngineOptions.DEFAULTS)) {
            String reason = engine.current().explanation();
            assertTrue(reason.contains("merged-tuple: its rules have 1 masks"), reason);
        }
    }

    @Test
    void rulesOfPortsAndProtocolAreServedByRfcHoweverMany() {
        SplittableRandom random = new SplittableRandom(TestSeed.of(43));
        List<Rule> rules = new ArrayList<>();
        for (int r = 0; r < RULES; r++) {
            int low = random.nextInt(1 << 16);
            Match match =
                    new Match.Builder()
                            .ports(Field.DST_PORT, low, random.nextInt(low, 1 << 16))
                            .field(Field.IP_PROTO, random.nextBoolean() ? 6 : 17)
                            .build();
            rules.add(new Rule(r, -r, match, "drop", r + 1));
        }
        RuleSet set = RuleSet.of("services", 1, RuleSet.DROP, rules);
        try (Engine engine = Engine.open(set, EngineOptions.DEFAULTS)) {
            assertEquals("rfc", engine.current().algorithm().label());
        }
    }
}
