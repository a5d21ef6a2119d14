package dev.sluice.job.sink;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a writer, whether Kafka answers or not. */
@Timeout(60)
class WatchedWriterTest {
    private final CountDownLatch answer = new CountDownLatch(1);
    private boolean ended;

    /** What its end throws when it is interrupted; Kafka's interrupts whoever makes it. */
    private Supplier<Exception> thrown = InterruptedException::new;

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
        public void close() throws Exception {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw thrown.get();
            }
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

    private static Exception with(Exception first, Exception beside) {
        first.addSuppressed(beside);
        return first;
    }

    private void endUnanswered(Supplier<Exception> e) throws Exception {
        thrown = e;
        new WatchedWriter<>(new Ending(), Duration.ofMillis(1)).close();
    }

    @Test
    void anEndThatKafkaDoesNotAnswerIsNoFailureAndTheTaskIsNotInterruptedAnyMore() {
        for (Supplier<Exception> e :
                List.<Supplier<Exception>>of(
                        InterruptedException::new,
                        () -> new InterruptException("awaiting EndTxn(false)"),
                        () -> new IllegalStateException(new InterruptedException()),
                        () -> with(new InterruptException("1"), new InterruptException("2")))) {
            assertDoesNotThrow(() -> endUnanswered(e));
            assertFalse(ended);
            assertFalse(Thread.interrupted());
        }
    }

    @Test
    void whatElseGoesWrongAtTheEndIsAFailure() {
        Exception other = new IllegalStateException("fenced");
        assertSame(other, assertThrows(Exception.class, () -> endUnanswered(() -> other)));
        Exception both = with(new InterruptedException(), other);
        assertSame(both, assertThrows(Exception.class, () -> endUnanswered(() -> both)));
        assertFalse(Thread.interrupted());
    }

    @Test
    void anInterruptionOfAnotherIsOne() {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                new WatchedWriter<>(new Ending(), Duration.ofDays(1))::close);
    }
}
