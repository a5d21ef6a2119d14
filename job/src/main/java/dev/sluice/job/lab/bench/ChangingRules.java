package dev.sluice.job.lab.bench;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.job.lab.inplace.InPlaceClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/** Rules that change while other threads look headers up in them. */
interface ChangingRules extends AutoCloseable {
    /** Stands for a miss among ids. */
    long NO_RULE = Long.MIN_VALUE;

    HeaderLayout layout();

    void classify(HeaderBatch headers, VerdictBatch verdicts);

    /** Changes rules, visibly to look-ups that begin from now on; one thread at a time. */
    void apply(RuleDelta delta);

    /** For each header the id of its rule, or {@link #NO_RULE}. */
    long[] ids(HeaderBatch headers);

    @Override
    void close();

    /** By versions through the engine's door, or in two copies of the algorithm's structure. */
    static ChangingRules open(
            UpdateBench.Way way, RuleSet rules, Algorithm algorithm, EngineOptions options) {
        return way == UpdateBench.Way.IN_PLACE
                ? new InPlace(
                        new InPlaceClassifier(
                                rules,
                                rules.layout(),
                                algorithm,
                                CompileContext.of(options.budgetBytes(), options.tuning())))
                : new AtTheDoor(Engine.open(rules, options.withAlgorithm(algorithm)));
    }

    /** By versions. */
    record AtTheDoor(Engine engine) implements ChangingRules {
        @Override
        public HeaderLayout layout() {
            return engine.current().layout();
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            engine.classify(headers, verdicts);
        }

        @Override
        public void apply(RuleDelta delta) {
            engine.apply(engine.current().number() + 1, delta).close();
        }

        @Override
        public long[] ids(HeaderBatch headers) {
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            long[] ids = new long[headers.size()];
            try (RuleSetVersion version = engine.acquire()) {
                engine.submit(version, headers, verdicts).await();
                for (int i = 0; i < ids.length; i++) {
                    int verdict = verdicts.rule(i);
                    ids[i] = verdict == VerdictBatch.MISS ? NO_RULE : version.ruleId(verdict);
                }
            }
            return ids;
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    /** In place. */
    record InPlace(InPlaceClassifier live) implements ChangingRules {
        @Override
        public HeaderLayout layout() {
            return live.layout();
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            live.classify(headers, verdicts);
        }

        @Override
        public void apply(RuleDelta delta) {
            live.apply(delta);
        }

        @Override
        public long[] ids(HeaderBatch headers) {
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            live.classify(headers, verdicts);
            long[] ids = verdicts.ids().clone();
            for (int i = 0; i < ids.length; i++) {
                ids[i] = verdicts.rule(i) == VerdictBatch.MISS ? NO_RULE : ids[i];
            }
            return ids;
        }

        @Override
        public void close() {}
    }
}
