package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.Subject;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/**
 * The versions of a story as messages of a topic, each judged as packets of its time are. Every
 * answer is that of a history read anew, and so is every version before it.
 */
final class VersionsSubject {
    /** Serves any rules. */
    private static final EngineOptions ANY =
            EngineOptions.of(Algorithm.of("tuple"))
                    .withBudget(1 << 28)
                    .withGpu(GpuPool.Selection.OFF);

    static final Subject INSTANCE =
            Subject.ofSessions("versions-of-a-history", (rules, layout) -> new Session(rules));

    private VersionsSubject() {}

    private static final class Session implements Subject.Session {
        private final PlacedRules placed;
        private final List<byte[]> messages = new ArrayList<>();
        private int index;

        Session(RuleSet rules) {
            placed = new PlacedRules(rules);
            RuleSet first = placed.ruleSet("set", 1);
            messages.addAll(RuleSetMessages.snapshot(begin(null, Kind.SNAPSHOT), first.rules()));
        }

        private RuleChange begin(Long base, Kind kind) {
            return RuleChange.begin(
                    "t" + index,
                    "h",
                    index + 1,
                    base,
                    Versions.STEP_NS * index,
                    kind,
                    "set",
                    RuleSet.DROP);
        }

        @Override
        public void apply(RuleDelta delta) {
            index++;
            RuleDelta change = placed.apply(delta);
            messages.addAll(RuleSetMessages.delta(begin((long) index, Kind.DELTA), change));
        }

        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            RecordedHistory history = new RecordedHistory();
            for (byte[] message : messages) {
                history.accept(message, 0);
            }
            Assertions.assertEquals(
                    placed.ruleSet("set", index + 1).rules(), history.rules(index).rules());
            Deque<Runnable> builds = new ArrayDeque<>();
            List<String> refused = new ArrayList<>();
            try (VersionEngines engines =
                    new VersionEngines(
                            () -> Engine.open(ANY, 0),
                            history,
                            2,
                            builds::add,
                            (at, reason) -> refused.add(at + ": " + reason))) {
                long[] answers = new long[0];
                for (int at = Math.max(0, index - 2); at <= index; at++) {
                    VersionEngines.Found served = engines.acquire(at, () -> {});
                    while (served == null) {
                        builds.remove().run();
                        served = engines.acquire(at, () -> {});
                    }
                    Assertions.assertEquals(List.of(), refused);
                    answers = answers(served.version(), headers);
                    served.version().close();
                }
                return answers;
            }
        }

        private static long[] answers(ServedVersion lookup, List<int[]> headers) {
            HeaderBatch batch = new HeaderBatch(lookup.layout(), headers.size() + 1);
            headers.forEach(batch::add);
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            lookup.submit(batch, verdicts).await();
            long[] ids = new long[headers.size()];
            for (int i = 0; i < ids.length; i++) {
                int verdict = verdicts.rule(i);
                ids[i] = verdict == VerdictBatch.MISS ? RuleStory.NO_RULE : lookup.ruleId(verdict);
            }
            return ids;
        }
    }
}
