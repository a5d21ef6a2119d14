package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a writer, whether Kafka answers or not. */
@Timeout(60)
class WatchedWriterTest {
    private final CountDownLatch answer = new CountDownLatch(1);
    private boolean ended;

    /** Its end waits for an answer of Kafka's. */
    @SuppressWarnings("try") // its close() is interrupted
    private final class Ending
            implements PrecommittingStatefulSinkWriter<String, KafkaWriterState, KafkaCommittable> {
        @Override
        public void write(String element, Context context) {
            throw new UnsupportedOperationException("it only ends");
        }

        @Override
        public void flush(boolean endOfInput) {
            throw new UnsupportedOperationException("it only ends");
        }

        @Override
        public Collection<KafkaCommittable> prepareCommit() {
            throw new UnsupportedOperationException("it only ends");
        }

        @Override
        public List<KafkaWriterState> snapshotState(long checkpoint) {
            throw new UnsupportedOperationException("it only ends");
        }

        @Override
        public void close() throws InterruptedException {
            answer.await();
            ended = true;
        }
    }

    @Test
    void anEndThatKafkaAnswersIsWaitedFor() {
        WatchedWriter<String> writer = new WatchedWriter<>(new Ending(), Duration.ofDays(1));
        answer.countDown();
        assertDoesNotThrow(writer::close);
        assertTrue(ended);
        assertFalse(Thread.interrupted());
    }

    @Test
    void anEndThatKafkaDoesNotAnswerFailsAndTheTaskIsNotInterruptedAnyMore() {
        WatchedWriter<String> writer = new WatchedWriter<>(new Ending(), Duration.ofMillis(1));
        assertThrows(InterruptedException.class, writer::close);
        assertFalse(Thread.interrupted());
    }
}
