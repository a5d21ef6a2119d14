package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that change at the engine's door while a device, on the heap, looks batches up. */
@Timeout(120)
class VersionsOnDeviceTest {
    private static final int HEADERS = 64;

    private final FakeDriver fake = new FakeDriver(1);
    private final Random random = TestSeed.random(31);
    private long nextId = 1;

    @BeforeEach
    void install() {
        FakeDriver.install(fake);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private Rule rule(int priority, Place place) {
        Match.Builder match =
                new Match.Builder()
                        .field(
                                Field.IPV4_DST,
                                random.nextInt(64) << 26,
                                -1 << 32 - 2 * (1 + random.nextInt(3)));
        if (random.nextInt(3) > 0) {
            match.field(Field.DST_PORT, random.nextInt(4));
        }
        return new Rule(nextId, priority, match.build(), "a", (int) nextId++, place, "");
    }

    private RuleSet rules(int count) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rules.add(rule(random.nextInt(3), Place.NONE));
        }
        return RuleSet.of("r", 1, RuleSet.DROP, rules);
    }

    /** Some rules go, others come behind ones that are there or at an end. */
    private RuleDelta delta(RuleSet now) {
        List<Rule> left = new ArrayList<>(now.rules());
        List<Long> removes = new ArrayList<>();
        for (int k = random.nextInt(4); k > 0 && left.size() > 20; k--) {
            removes.add(left.remove(random.nextInt(left.size())).id());
        }
        List<Rule> inserts = new ArrayList<>();
        for (int k = random.nextInt(5); k > 0; k--) {
            int at = random.nextInt(left.size());
            Rule before = left.get(at);
            Rule behind = at + 1 < left.size() ? left.get(at + 1) : null;
            boolean same = behind != null && behind.priority() == before.priority();
            Place place = Place.between(before.place(), same ? behind.place() : null);
            Rule fresh = rule(before.priority(), place);
            left.add(at + 1, fresh);
            inserts.add(fresh);
        }
        return new RuleDelta(removes, inserts);
    }

    private record Flight(
            RuleSetVersion version,
            PendingVerdicts pending,
            HeaderBatch headers,
            VerdictBatch verdicts) {
        void land() {
            pending.await();
            RuleSet rules = version.rules();
            Classifier linear = Engine.compile(rules, EngineOptions.of(Algorithm.of("linear")));
            VerdictBatch expected = new VerdictBatch(HEADERS);
            linear.classify(headers, expected);
            for (int i = 0; i < HEADERS; i++) {
                int position = expected.rule(i);
                int verdict = verdicts.rule(i);
                assertEquals(
                        position < 0 ? -1 : rules.rules().get(position).id(),
                        verdict < 0 ? -1 : version.ruleId(verdict),
                        "header " + i + " under version " + version.number());
            }
            version.close();
        }
    }

    private static EngineOptions options(String algorithm, String mode) {
        return EngineOptions.of(Algorithm.of(algorithm))
                .withOffload(OffloadPreference.parse(mode).decided());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "merged-tuple copy",
                "forest mapped",
                "rfc persistent,mapped",
                "hash-tree mapped,gather=2",
                "linear copy,streams=1"
            })
    void batchesOfSeveralVersionsAreAnsweredByTheirOwnWhileBasesAreRenewed(String how)
            throws Exception {
        String[] parts = how.split(" ");
        RenewalBounds often = new RenewalBounds(40, 1_000_000, 1, 10);
        try (Engine engine = Engine.open(rules(60), options(parts[0], parts[1]), often)) {
            assertTrue(engine.current().onDevice());
            List<Flight> flights = new ArrayList<>();
            for (int step = 0; step < 120; step++) {
                RuleSet before = engine.current().rules();
                RuleSetVersion version = engine.apply(2 + step, delta(before));
                HeaderBatch headers =
                        new SampleHeaders(before, TestSeed.of(step))
                                .batch(version.layout(), HEADERS);
                VerdictBatch verdicts = new VerdictBatch(HEADERS);
                flights.add(
                        new Flight(
                                version,
                                engine.submit(version, headers, verdicts),
                                headers,
                                verdicts));
                while (flights.size() > random.nextInt(4)) {
                    flights.remove(random.nextInt(flights.size())).land();
                }
                if (step % 10 == 9) {
                    engine.awaitBackground();
                }
            }
            flights.forEach(Flight::land);
            engine.awaitBackground();
            assertTrue(engine.renewed() > 0, "no base was renewed");
            assertEquals(0, engine.figures().fallBacks());
            assertEquals(0, engine.figures().cpuBatches());
        }
        while (fake.held() > 0) { // a base that was begun at last ends after the engine is closed
            assertFalse(Thread.interrupted(), "something is left on the device");
            Thread.onSpinWait();
        }
    }

    @Test
    void headersOfAVersionWithChangesAreStaged() {
        try (Engine engine = Engine.open(rules(60), options("tuple", "copy"))) {
            RuleSet before = engine.current().rules();
            RuleSetVersion version = engine.apply(2, delta(before));
            HeaderBatch headers =
                    new SampleHeaders(before, TestSeed.of(5)).batch(version.layout(), HEADERS);
            StagedHeaders staged = engine.stage(version, HEADERS);
            assertNotNull(staged);
            for (int p = 0; p < version.layout().size(); p++) {
                for (int i = 0; i < HEADERS; i++) {
                    staged.words().put(p * staged.stride() + i, headers.word(p, i));
                }
            }
            engine.apply(3, delta(engine.current().rules())).close();
            VerdictBatch verdicts = new VerdictBatch(HEADERS);
            PendingVerdicts pending = staged.submit(HEADERS, version.newBatch(HEADERS), verdicts);
            new Flight(version, pending, headers, verdicts).land();
            assertEquals(1, engine.figures().deviceBatches());
        }
        assertEquals(0, fake.held(), "something is left on the device");
    }
}
