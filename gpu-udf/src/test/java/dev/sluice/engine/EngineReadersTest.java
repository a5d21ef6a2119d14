package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads look at versions of their own while rules change: each gets its version's answers. */
class EngineReadersTest {
    private static final int DELTAS = 1500;
    private static final int READERS = 3;
    private static final int HEADERS = 6;
    private static final RenewalBounds OFTEN = new RenewalBounds(40, 1_000_000, 1, 1);

    /** Deltas that the writer makes at most ahead of the slowest reader's looks. */
    private static final int DELTAS_A_LOOK = 8;

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
                    done = version.version() == DELTAS;
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
            version.submit(batch, verdicts).await();
            RuleSet rules = versions.get((int) version.version());
            for (int i = 0; i < HEADERS; i++) {
                int expected = FirstMatch.classify(rules, asked.get(i));
                long wanted = expected < 0 ? -1 : rules.rules().get(expected).id();
                int verdict = verdicts.rule(i);
                assertEquals(
                        wanted,
                        verdict < 0 ? -1 : version.ruleId(verdict),
                        () -> "version " + version.version());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "rfc", "merged-tuple"})
    void readersGetTheirVersionsAnswers(String algorithm) throws Exception {
        ChangingRules changing = new ChangingRules(TestSeed.of(101), Shape.IPV4_5_TUPLE, 250);
        for (int d = 0; d < DELTAS; d++) {
            changing.changes(1 + changing.below(4));
        }
        RuleStory story = changing.story("readers", 500);
        EngineOptions options =
                EngineOptions.of(Algorithm.of(algorithm)).withGpu(GpuPool.Selection.OFF);
        DrawnStories.tell(() -> story, EngineSubject.of(options, OFTEN));
        PlacedRules placed = new PlacedRules(story.ruleSet());
        List<RuleSet> versions = new ArrayList<>(List.of(placed.ruleSet("readers", 0)));
        List<RuleDelta> deltas = new ArrayList<>();
        for (RuleDelta delta : story.updates()) {
            deltas.add(placed.apply(delta));
            versions.add(placed.ruleSet("readers", versions.size()));
        }
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        try (Engine engine = Engine.open(versions.get(0), options, OFTEN)) {
            List<Reader> readers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int r = 0; r < READERS; r++) {
                readers.add(new Reader(engine, versions, story.headers(), failures));
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
            engine.renewals().await();
            assertNull(engine.renewals().failure());
            assertTrue(engine.renewals().done() > 0, "no new base");
            assertEquals(versions.get(DELTAS).rules(), engine.current().rules().rules());
        }
    }
}
