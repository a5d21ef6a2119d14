package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.rules.RuleSetMessages;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.stream.RefusedVersion;
import dev.sluice.operators.stream.RuleBootstrap;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MessageSchemas;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States that another release, or an operator with other options, has written. */
@Timeout(60)
class RestoredRulesTest {
    private static final int MAX_PARALLELISM = 8;

    private static final RuleBootstrap NONE =
            target -> {
                throw new AssertionError("rules are in the state: no bootstrap is due");
            };

    private static ClassifyOptions options(String algorithm, long budgetBytes) {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of(algorithm))
                        .withBudget(budgetBytes)
                        .withGpu(GpuPool.Selection.OFF),
                4,
                60_000_000,
                2,
                8,
                ClassifyOptions.VerdictFormat.BLOCKS);
    }

    private static List<byte[]> snapshot(long version, String defaultAction, List<Rule> rules) {
        return RuleSetMessages.snapshot(
                RuleChange.begin("t" + version, version, null, Kind.SNAPSHOT, "set", defaultAction),
                rules);
    }

    private static Rule rule(int id, Match match) {
        return new Rule(id, id, match, "rule " + id, id);
    }

    private static Rule toPort(int id, int port) {
        return rule(id, new Match.Builder().field(Field.DST_PORT, port).build());
    }

    /** The messages as a release wrote them whose RuleChange was of schema version 1. */
    private static List<byte[]> asBefore(List<byte[]> messages) throws IOException {
        Schema before = MessageSchemas.history("RuleChange").get(0);
        BinaryMessageDecoder<GenericRecord> decoder =
                new BinaryMessageDecoder<>(GenericData.get(), before);
        decoder.addSchema(MessageSchemas.current("RuleChange"));
        BinaryMessageEncoder<GenericRecord> encoder =
                new BinaryMessageEncoder<>(GenericData.get(), before);
        List<byte[]> written = new ArrayList<>();
        for (byte[] message : messages) {
            written.add(encoder.encode(decoder.decode(message)).array());
        }
        return written;
    }

    /** Keeps rules in the broadcast states that the operator had in the releases before. */
    private static final class OperatorBefore extends AbstractStreamOperator<byte[]>
            implements OneInputStreamOperator<byte[], byte[]> {
        private static final long serialVersionUID = 1L;
        private final transient List<byte[]> inForce;
        private final transient List<byte[]> open;

        OperatorBefore(List<byte[]> inForce, List<byte[]> open) {
            this.inForce = inForce;
            this.open = open;
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            write(context, "rules-in-force", inForce);
            write(context, "open-transaction", open);
        }

        private static void write(
                StateInitializationContext context, String name, List<byte[]> messages)
                throws Exception {
            BroadcastState<Integer, byte[]> state =
                    context.getOperatorStateStore()
                            .getBroadcastState(
                                    new MapStateDescriptor<>(
                                            name,
                                            Types.INT,
                                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
            for (int i = messages.size() - 1; i >= 0; i--) {
                state.put(i, messages.get(i));
            }
        }

        @Override
        public void processElement(StreamRecord<byte[]> element) {
            throw new UnsupportedOperationException("it only keeps rules");
        }
    }

    private static OperatorSubtaskState stateOfBefore(List<byte[]> inForce, List<byte[]> open)
            throws Exception {
        try (var before =
                new OneInputStreamOperatorTestHarness<byte[], byte[]>(
                        new OperatorBefore(inForce, open), MAX_PARALLELISM, 1, 0)) {
            before.open();
            return before.snapshot(1, 1);
        }
    }

    private static OperatorSubtaskState checkpoint(OperatorHarness task) throws Exception {
        task.drain(2);
        return task.snapshot(2, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void rulesInTheBroadcastStatesOfEarlierReleasesAreInForce(int parallelism) throws Exception {
        List<byte[]> fourth = asBefore(snapshot(4, "drop", List.of(toPort(1, 1), toPort(2, 2))));
        List<byte[]> fifth = asBefore(snapshot(5, "drop", List.of(toPort(3, 3))));
        byte[] commit = fifth.get(fifth.size() - 1);
        OperatorSubtaskState state = stateOfBefore(fourth, fifth.subList(0, fifth.size() - 1));
        ClassifyOptions options = options("tuple", 1 << 28);
        for (int subtask = 0; subtask < parallelism; subtask++) {
            OperatorSubtaskState part = OperatorHarness.repartition(state, 1, parallelism, subtask);
            OperatorSubtaskState written;
            try (var task = OperatorHarness.create(options, NONE, part, parallelism, subtask)) {
                task.awaitVersion(4);
                task.processElement2(new StreamRecord<>(commit));
                task.awaitVersion(5);
                written = checkpoint(task);
                assertEquals(null, task.getSideOutput(ClassifyOperator.DEAD_LETTERS));
            }
            if (subtask == 0) { // the one that writes
                try (var task = OperatorHarness.create(options, NONE, written, 1, 0)) {
                    task.awaitVersion(5);
                }
            }
        }
    }

    /** Keeps the log of rules in a list that Flink's own serializer for bytes writes. */
    private static final class OperatorWithFlinksBytes extends AbstractStreamOperator<byte[]>
            implements OneInputStreamOperator<byte[], byte[]> {
        private static final long serialVersionUID = 1L;
        private final transient List<byte[]> log;

        OperatorWithFlinksBytes(List<byte[]> log) {
            this.log = log;
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(context);
            context.getOperatorStateStore()
                    .getUnionListState(
                            new ListStateDescriptor<>(
                                    "rule-log",
                                    PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO))
                    .update(log);
        }

        @Override
        public void processElement(StreamRecord<byte[]> element) {
            throw new UnsupportedOperationException("it only keeps rules");
        }
    }

    @Test
    void aLogThatFlinksOwnSerializerWroteIsRead() throws Exception {
        OperatorSubtaskState state;
        try (var before =
                new OneInputStreamOperatorTestHarness<byte[], byte[]>(
                        new OperatorWithFlinksBytes(snapshot(7, "drop", List.of(toPort(1, 1)))),
                        MAX_PARALLELISM,
                        1,
                        0)) {
            before.open();
            state = before.snapshot(1, 1);
        }
        OperatorSubtaskState written;
        try (var task = OperatorHarness.create(options("tuple", 1 << 28), NONE, state, 1, 0)) {
            task.awaitVersion(7);
            written = checkpoint(task);
        }
        try (var task = OperatorHarness.create(options("tuple", 1 << 28), NONE, written, 1, 0)) {
            task.awaitVersion(7);
        }
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
        RuleBootstrap first =
                target -> {
                    for (byte[] message : snapshot(1, "drop", List.of(toPort(1, 1)))) {
                        target.message(message, RuleTransaction.NO_TIME);
                    }
                    target.startReached();
                };
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
