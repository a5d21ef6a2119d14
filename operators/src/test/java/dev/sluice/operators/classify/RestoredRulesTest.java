package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.rules.serving.GivenTopic;
import dev.sluice.operators.rules.serving.RefusedVersion;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** States that an operator with other options has written. */
@Timeout(60)
class RestoredRulesTest {
    private static final RuleSource NONE = GivenTopic.unread();

    private static ClassifyOptions options(String algorithm, long budgetBytes) {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of(algorithm))
                        .withBudget(budgetBytes)
                        .withGpu(GpuPool.Selection.OFF),
                4,
                60_000_000,
                2,
                8,
                ClassifyOptions.VerdictFormat.BLOCKS,
                VerdictFields.NONE);
    }

    private static List<byte[]> snapshot(long version, String defaultAction, List<Rule> rules) {
        return RuleSetMessages.snapshot(
                RuleChange.begin(
                        "t" + version,
                        "h",
                        version,
                        null,
                        null,
                        Kind.SNAPSHOT,
                        "set",
                        defaultAction),
                rules);
    }

    private static Rule rule(int id, Match match) {
        return new Rule(id, id, match, "rule " + id, id);
    }

    private static Rule toPort(int id, int port) {
        return rule(id, new Match.Builder().field(Field.DST_PORT, port).build());
    }

    private static OperatorSubtaskState checkpoint(OperatorHarness task) throws Exception {
        task.drain(2);
        return task.snapshot(2, 2);
    }

    /** The bit vectors of these rules are much larger than those of a few. */
    private static List<Rule> many() {
        List<Rule> rules = new ArrayList<>();
        for (int n = 1; n <= 4000; n++) {
            rules.add(
                    rule(
                            n,
                            new Match.Builder()
                                    .field(Field.SRC_PORT, n)
                                    .field(Field.DST_PORT, 60_000 - n)
                                    .build()));
        }
        return rules;
    }

    @Test
    void aVersionThatWasRefusedUnderASmallBudgetIsServedAfterARestartWithALargerOne()
            throws Exception {
        RuleSource first = GivenTopic.of(snapshot(1, "drop", List.of(toPort(1, 1))));
        OperatorSubtaskState state;
        try (var task = OperatorHarness.create(options("bitvector", 1 << 20), first, null, 1, 0)) {
            task.awaitVersion(1);
            for (byte[] message : snapshot(2, "deny", many())) {
                task.processElement2(new StreamRecord<>(message));
            }
            while (task.getSideOutput(ClassifyOperator.DEAD_LETTERS) == null) {
                task.runMails();
                Thread.onSpinWait();
            }
            DeadLetter letter =
                    DeadLetter.decode(
                            task.getSideOutput(ClassifyOperator.DEAD_LETTERS).remove().getValue());
            RefusedVersion refused = RefusedVersion.of(letter).orElse(null);
            assertNotNull(refused, letter.toString());
            assertEquals(2, refused.version());
            state = checkpoint(task);
            assertEquals(1, task.version());
        }
        // Under the same budget it is refused again, and what was in force still is.
        try (var task = OperatorHarness.create(options("bitvector", 1 << 20), NONE, state, 1, 0)) {
            task.awaitVersion(1);
            state = checkpoint(task);
        }
        try (var task = OperatorHarness.create(options("bitvector", 1 << 28), NONE, state, 1, 0)) {
            task.awaitVersion(2);
        }
    }
}
