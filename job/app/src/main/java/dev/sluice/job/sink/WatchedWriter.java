package dev.sluice.job.sink;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer that wraps the connector's and limits how long its end waits for Kafka.
 *
 * <p>When a task ends, its writer aborts the open transaction, and waits for the answer as long as
 * for room in its buffer. Flink does not interrupt a task at that point. If Kafka does not answer,
 * Flink ends the whole process after three minutes. A transaction that is not aborted here is
 * aborted when the job restarts, or by Kafka in the end. The wait is therefore interrupted after a
 * while. The resulting exception is no failure: Flink would take it for one of its own, and give up
 * the TaskManager.
 *
 * @param <T> elements of the sink
 */
@SuppressWarnings("try") // the writer's close() may throw anything
final class WatchedWriter<T>
        implements PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedWriter.class);

    private final PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka;
    private final Duration patience;

    /**
     * Wraps a writer.
     *
     * @param patience maximal time of its end
     */
    WatchedWriter(
            PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka,
            Duration patience) {
        this.kafka = kafka;
        this.patience = patience;
    }

    @Override
    public void write(T element, Context context) throws IOException, InterruptedException {
        kafka.write(element, context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        kafka.flush(endOfInput);
    }

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
        kafka.writeWatermark(watermark);
    }

    @Override
    public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
        return kafka.prepareCommit();
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpoint) throws IOException {
        return kafka.snapshotState(checkpoint);
    }

    @Override
    public void close() throws Exception {
        Thread task = Thread.currentThread();
        ScheduledExecutorService clock =
                Executors.newSingleThreadScheduledExecutor(
                        new ExecutorThreadFactory("end of " + task.getName()));
        AtomicBoolean overdue = new AtomicBoolean();
        try {
            var unused =
                    clock.schedule(
                            () -> {
                                overdue.set(true);
                                task.interrupt();
                            },
                            patience.toMillis(),
                            TimeUnit.MILLISECONDS);
            kafka.close();
        } catch (Exception e) {
            if (!overdue.get() || !isInterruption(e)) {
                throw e;
            }
            LOG.warn(
                    "Kafka did not answer within {} s at the end of a writer; its open transaction is aborted when the job starts again, or by Kafka",
                    patience.toSeconds(),
                    e);
        } finally {
            clock.shutdownNow();
            while (!clock.isTerminated()) {
                Thread.onSpinWait(); // a started interruption arrives here, and not later
            }
            Thread.interrupted(); // the interruption must not reach the rest of the task's end
        }
    }

    /** Tells whether an interruption is the only failure. */
    private static boolean isInterruption(Throwable e) {
        boolean of =
                e instanceof InterruptedException
                        || e instanceof InterruptException
                        || e.getCause() != null && isInterruption(e.getCause());
        for (Throwable beside : e.getSuppressed()) {
            of &= isInterruption(beside);
        }
        return of;
    }
}
