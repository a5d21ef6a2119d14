package dev.sluice.engine;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.engine.testing.VersionedSession;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules that change through the front door, on the CPU or on a device. Where a device has room,
 * every other batch is written to its memory.
 */
public final class EngineSubject {
    /** The background is awaited after so many deltas. */
    private static final int DELTAS_A_WAIT = 7;

    private static final RenewalBounds OFTEN = new RenewalBounds(6, 1_000_000, 1, 1);

    private EngineSubject() {}

    /** With a new base after every few changes. */
    public static Subject of(String label, EngineOptions options) {
        return of(label, options, engine -> {});
    }

    /**
     * As {@link #of(String, EngineOptions)}.
     *
     * @param atEnd sees the engine of each story before it is closed
     */
    public static Subject of(String label, EngineOptions options, Consumer<Engine> atEnd) {
        return named(label, options, OFTEN, atEnd);
    }

    static Subject of(EngineOptions options, RenewalBounds bounds) {
        return of("", options, bounds, engine -> {});
    }

    /**
     * As {@link #of(EngineOptions, RenewalBounds)}.
     *
     * @param where begins the label
     * @param atEnd sees the engine of each story before it is closed
     */
    static Subject of(
            String where, EngineOptions options, RenewalBounds bounds, Consumer<Engine> atEnd) {
        return named(where + options.algorithm().label(), options, bounds, atEnd);
    }

    private static Subject named(
            String label, EngineOptions options, RenewalBounds bounds, Consumer<Engine> atEnd) {
        return Subject.ofSessions(
                label + "-engine-" + bounds.changes(),
                (rules, layout) -> new EngineSession(rules, options, bounds, atEnd));
    }

    private static final class EngineSession extends VersionedSession<RuleSetVersion> {
        private final Engine engine;
        private final PlacedRules placed;
        private final Consumer<Engine> atEnd;
        private RuleSet rules;
        private int batches;

        /** Ids by verdict, of versions that number alike, and one of these. */
        private final Map<Integer, Long> numbered = new HashMap<>();

        private @Nullable RuleSetVersion numberedBy;

        EngineSession(
                RuleSet first, EngineOptions options, RenewalBounds bounds, Consumer<Engine> end) {
            placed = new PlacedRules(first);
            rules = placed.ruleSet(first.name(), 1);
            engine = Engine.open(rules, options, bounds);
            atEnd = end;
        }

        @Override
        protected void change(RuleDelta delta) throws Exception {
            long number = rules.version() + 1;
            RuleDelta change = placed.apply(delta);
            rules = placed.ruleSet(rules.name(), number);
            engine.apply(number, change).close();
            SameVerdicts.require(rules.size() == engine.current().size(), "the number of rules");
            if (number % DELTAS_A_WAIT == 0) {
                settle();
            }
        }

        @Override
        public void settle() throws Exception {
            engine.renewals().await();
            SameVerdicts.require(
                    engine.renewals().failure() == null,
                    "no new base: " + engine.renewals().failure());
            try (RuleSetVersion version = engine.acquire()) {
                SameVerdicts.require(
                        rules.rules().equals(version.rules().rules()), "the version's rules");
                SameVerdicts.require(rules.version() == version.version(), "the version's number");
            }
        }

        @Override
        protected RuleSetVersion acquire() {
            return engine.acquire();
        }

        @Override
        protected void release(RuleSetVersion version) {
            version.close();
        }

        @Override
        protected LookUp submit(RuleSetVersion version, List<int[]> headers) {
            int count = headers.size();
            HeaderBatch batch = new HeaderBatch(version.layout(), count + 2);
            headers.forEach(batch::add);
            VerdictBatch verdicts = new VerdictBatch(count);
            PendingVerdicts pending = submit(version, batch, verdicts);
            return () -> {
                pending.await();
                long[] ids = new long[count];
                for (int i = 0; i < ids.length; i++) {
                    int verdict = verdicts.rule(i);
                    ids[i] =
                            verdict == VerdictBatch.MISS
                                    ? RuleStory.NO_RULE
                                    : version.ruleId(verdict);
                    number(version, verdict, ids[i]);
                }
                return ids;
            };
        }

        /** Versions that say so number their rules alike. */
        private void number(RuleSetVersion version, int verdict, long id) {
            if (numberedBy == null || !version.numbersAlike(numberedBy)) {
                numbered.clear();
            }
            numberedBy = version;
            Long before = numbered.putIfAbsent(verdict, id);
            SameVerdicts.require(before == null || before == id, "verdict " + verdict);
        }

        private PendingVerdicts submit(
                RuleSetVersion version, HeaderBatch batch, VerdictBatch verdicts) {
            StagedHeaders staged =
                    batches++ % 2 == 0 || batch.size() == 0 ? null : version.stage(batch.size());
            if (staged == null) {
                return version.submit(batch, verdicts);
            }
            for (int p = 0; p < version.layout().size(); p++) {
                for (int i = 0; i < batch.size(); i++) {
                    staged.words().put(p * staged.stride() + i, batch.word(p, i));
                }
            }
            return staged.submit(batch.size(), version.newBatch(batch.size()), verdicts);
        }

        @Override
        public void close() throws Exception {
            super.close();
            try (engine) {
                atEnd.accept(engine);
            }
        }
    }
}
