package dev.sluice.job.graph;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;

/**
 * The connector's writer, whose end does not wait for Kafka beyond a while.
 *
 * <p>When a task ends, its writer aborts the transaction that is open, and waits for the answer for
 * as long as it waits for room in its buffer. Flink does not interrupt a task at that point; where
 * Kafka does not answer, it ends the whole process after three minutes. A transaction that is not
 * aborted here is when the job starts again, or by Kafka in the end.
 *
 * @param <T> of what is written
 */
@SuppressWarnings("try") // the writer's close() may throw anything
final class WatchedWriter<T>
        implements PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> {
    private final PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> kafka;
    private final Duration patience;

    /**
     * That writer.
     *
     * @param patience how long its end may take
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
                        work -> {
                            Thread thread = new Thread(work, "end of " + task.getName());
                            thread.setDaemon(true);
                            return thread;
                        });
        try {
            var unused =
                    clock.schedule(task::interrupt, patience.toMillis(), TimeUnit.MILLISECONDS);
            kafka.close();
        } finally {
            clock.shutdownNow();
            while (!clock.isTerminated()) {
                Thread.onSpinWait(); // an interruption that has begun comes here, and not later
            }
            Thread.interrupted(); // the rest of the task's end is none of its business
        }
    }
}
