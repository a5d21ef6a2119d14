package dev.sluice.operators.rules.topic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which messages of the rules topic travel together, and that none is lost or moved. */
class GatherRuleMessagesTest {
    private OneInputStreamOperatorTestHarness<Tuple2<Integer, byte[]>, byte[]> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new OneInputStreamOperatorTestHarness<>(new GatherRuleMessages());
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aTransactionGoesOnWithItsEnd() throws Exception {
        more("begin");
        more("changes");
        assertEquals(List.of(), elements());
        end("commit");
        assertEquals(List.of(List.of("begin", "changes", "commit")), elements());
    }

    /** They do not wait for one another for longer than until the timer. */
    @Test
    void thoseThatComeAtOnceGoOnTogether() throws Exception {
        List<String> all = IntStream.range(0, 500).mapToObj(i -> "commit " + i).toList();
        for (String message : all) {
            end(message);
        }
        harness.setProcessingTime(harness.getProcessingTime() + 1);
        List<List<String>> elements = elements();
        assertEquals(all, elements.stream().flatMap(List::stream).toList());
        assertEquals(List.of("commit 0"), elements.get(0));
        assertEquals(2, elements.size());
        end("one more");
        assertEquals(2, elements().size());
        harness.setProcessingTime(harness.getProcessingTime() + 1);
        assertEquals(List.of("one more"), elements().get(2));
        harness.setProcessingTime(harness.getProcessingTime() + 1);
        end("another");
        assertEquals(List.of("another"), elements().get(3));
    }

    @Test
    void anElementHasABound() throws Exception {
        String kilobyte = "x".repeat(1000);
        for (int i = 0; i < 100; i++) {
            more(kilobyte);
        }
        List<List<String>> elements = elements();
        assertEquals(100 / 17, elements.size());
        elements.forEach(element -> assertEquals(17, element.size()));
    }

    @Test
    void allGoesOnBeforeABarrierAndAtTheEnd() throws Exception {
        more("begin");
        harness.prepareSnapshotPreBarrier(1);
        more("changes");
        harness.endInput();
        harness.getOperator().finish();
        assertEquals(List.of(List.of("begin"), List.of("changes")), elements());
    }

    @Test
    void timesGoOnInNanoseconds() throws Exception {
        harness.processElement(record("begin", GatherRuleMessages.MORE_FOLLOWS, 7));
        end("commit");
        List<Long> times = new ArrayList<>();
        RuleMessages.forEach(
                harness.extractOutputValues().get(0), message -> times.add(message.timeNs()));
        assertEquals(List.of(7_000_000L, RuleTransaction.NO_TIME), times);
    }

    private static StreamRecord<Tuple2<Integer, byte[]>> record(String text, int ends, long ms) {
        return new StreamRecord<>(Tuple2.of(ends, text.getBytes(StandardCharsets.UTF_8)), ms);
    }

    private void more(String text) throws Exception {
        take(text, GatherRuleMessages.MORE_FOLLOWS);
    }

    private void end(String text) throws Exception {
        take(text, GatherRuleMessages.ENDS);
    }

    private void take(String text, int ends) throws Exception {
        harness.processElement(
                new StreamRecord<>(Tuple2.of(ends, text.getBytes(StandardCharsets.UTF_8))));
    }

    /** The messages of each element. */
    private List<List<String>> elements() throws Exception {
        List<List<String>> elements = new ArrayList<>();
        for (byte[] element : harness.extractOutputValues()) {
            List<String> messages = new ArrayList<>();
            RuleMessages.forEach(
                    element,
                    one -> messages.add(new String(one.message(), StandardCharsets.UTF_8)));
            elements.add(messages);
        }
        return elements;
    }
}
