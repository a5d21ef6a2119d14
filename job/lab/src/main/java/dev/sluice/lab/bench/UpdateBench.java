package dev.sluice.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.lab.kit.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Single-rule updates by versions: one after the other, each visible before the next. */
final class UpdateBench {
    private static final int WARM_UPS = 3;
    private static final int ROUNDS = 5;
    private static final long ROUND_NANOS = 500_000_000L;
    private static final int UPDATES = 200;

    private final Engine engine;
    private final List<RuleDelta> deltas = new ArrayList<>();
    private int next;

    private UpdateBench(Engine engine, RuleSet rules) {
        this.engine = engine;
        // A rule goes, then comes back under its id: the size stays.
        SplittableRandom random = new SplittableRandom(9);
        for (int k = 0; k < Math.min(50_000, 4 * rules.size()); k++) {
            Rule rule = rules.rules().get(random.nextInt(rules.size()));
            deltas.add(RuleDelta.remove(rule.id()));
            deltas.add(RuleDelta.insert(rule));
        }
    }

    /** Removes and inserts random rules of a set, and adds the rate to a record. */
    static void measure(RuleSet rules, EngineOptions options, ObjectNode record) {
        try (Engine engine = Engine.open(rules, options)) {
            UpdateBench bench = new UpdateBench(engine, rules);
            double perSecond =
                    new Meter(WARM_UPS, ROUNDS)
                            .measure(
                                    () ->
                                            Meter.perSecond(
                                                    ROUND_NANOS, System::nanoTime, bench::pass))
                            .median();
            record.put("updatesPerSecond", perSecond);
            record.put("liveBytes", engine.current().bytes());
        }
    }

    private long pass() {
        for (int k = 0; k < UPDATES; k++) {
            engine.apply(engine.current().number() + 1, deltas.get(next)).close();
            next = next + 1 == deltas.size() ? 0 : next + 1;
        }
        return UPDATES;
    }
}
