package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads look at versions of their own while rules change: each gets its version's answers. */
class EngineReadersTest {
    private static final int DELTAS = 1500;
    private static final int READERS = 3;
    private static final int HEADERS = 6;

    /** Deltas that the writer makes at most ahead of the slowest reader's looks. */
    private static final int DELTAS_A_LOOK = 8;

    private final RandomRules random = new RandomRules(TestSeed.of(101));

    /** Deltas at any place, and the rules of every version. */
    private List<RuleDelta> deltas(List<RuleSet> versions) {
        Random order = TestSeed.random(102);
        RuleSet first = random.ruleSet(Shape.IPV4_5_TUPLE, 250);
        List<Place> places = Place.spread(first.size());
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Rule rule = first.rules().get(i);
            rules.add(new Rule(i, 0, rule.match(), "a", 0, places.get(i), ""));
        }
        versions.add(RuleSet.of("readers", 0, RuleSet.DROP, rules));
        List<RuleDelta> deltas = new ArrayList<>();
        long nextId = rules.size();
        for (int d = 1; d <= DELTAS; d++) {
            List<Long> removes = new ArrayList<>();
            List<Rule> inserts = new ArrayList<>();
            for (int c = order.nextInt(4); c >= 0; c--) {
                if (rules.size() > 230 && order.nextBoolean()) {
                    Rule gone = rules.remove(order.nextInt(rules.size()));
                    if (!inserts.remove(gone)) {
                        removes.add(gone.id());
                    }
                } else {
                    int at = order.nextInt(rules.size() + 1);
                    Place before = at == 0 ? null : rules.get(at - 1).place();
                    Place behind = at == rules.size() ? null : rules.get(at).place();
                    Rule drawn = random.rule(Shape.IPV4_5_TUPLE, nextId++, 1);
                    Rule rule = drawn.at(Place.between(before, behind));
                    rules.add(at, rule);
                    inserts.add(rule);
                }
            }
            deltas.add(new RuleDelta(removes, inserts));
            versions.add(RuleSet.of("readers", d, RuleSet.DROP, rules));
        }
        return deltas;
    }

    /** What a reader does: looks at the version in force and at some that it held on to. */
    private static final class Reader implements Runnable {
        final Engine engine;
        final List<RuleSet> versions;
        final List<int[]> headers;
        final AtomicInteger looks = new AtomicInteger();
        final List<Throwable> failures;

        /** Bit 0: the last version was looked at. */
        volatile boolean done;

        Reader(
                Engine engine,
                List<RuleSet> versions,
                List<int[]> headers,
                List<Throwable> failures) {
            this.engine = engine;
            this.versions = versions;
            this.headers = headers;
            this.failures = failures;
        }

        @Override
        public void run() {
            Deque<RuleSetVersion> held = new ArrayDeque<>();
            try {
                for (int k = 0; !done; k++) {
                    RuleSetVersion version = engine.acquire();
                    held.add(version);
                    look(version, k);
                    look(held.getFirst(), k + 1);
                    if (held.size() > 5) {
                        held.remove().close();
                    }
                    looks.incrementAndGet();
                    done = version.number() == DELTAS;
                }
            } catch (Throwable t) {
                failures.add(t);
            } finally {
                held.forEach(RuleSetVersion::close);
                done = true;
            }
        }

        private void look(RuleSetVersion version, int from) {
            HeaderBatch batch = version.newBatch(HEADERS);
            List<int[]> asked = new ArrayList<>();
            for (int i = 0; i < HEADERS; i++) {
                asked.add(headers.get((from * HEADERS + i) % headers.size()));
                batch.add(asked.get(i));
            }
            VerdictBatch verdicts = new VerdictBatch(HEADERS);
            engine.submit(version, batch, verdicts).await();
            RuleSet rules = versions.get((int) version.number());
            for (int i = 0; i < HEADERS; i++) {
                int expected = Oracle.classify(rules, asked.get(i));
                long wanted = expected < 0 ? -1 : rules.rules().get(expected).id();
                int verdict = verdicts.rule(i);
                assertEquals(
                        wanted,
                        verdict < 0 ? -1 : version.ruleId(verdict),
                        () -> "version " + version.number());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "rfc", "merged-tuple"})
    void readersGetTheirVersionsAnswers(String algorithm) throws Exception {
        List<RuleSet> versions = new ArrayList<>();
        List<RuleDelta> deltas = deltas(versions);
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            headers.add(random.header(versions.get(random.below(versions.size()))));
        }
        EngineOptions options =
                EngineOptions.of(Algorithm.of(algorithm)).withGpu(GpuPool.Selection.OFF);
        RenewalBounds often = new RenewalBounds(40, 1_000_000, 1, 1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        try (Engine engine = Engine.open(versions.get(0), options, often)) {
            List<Reader> readers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int r = 0; r < READERS; r++) {
                readers.add(new Reader(engine, versions, headers, failures));
                threads.add(new Thread(readers.get(r)));
                threads.get(r).start();
            }
            for (int d = 0; d < DELTAS; d++) {
                for (Reader reader : readers) {
                    // However fast deltas are, readers look between them.
                    while (reader.looks.get() < d / DELTAS_A_LOOK && !reader.done) {
                        Thread.onSpinWait();
                    }
                }
                engine.apply(d + 1, deltas.get(d)).close();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), failures);
            engine.awaitBackground();
            assertNull(engine.renewalFailure());
            assertTrue(engine.renewed() > 0, "no new base");
            assertEquals(versions.get(DELTAS).rules(), engine.current().rules().rules());
        }
    }
}
