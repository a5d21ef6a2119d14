package dev.sluice.job.kafka;

import dev.sluice.operators.timeline.HistorySource;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InterruptException;

/** Reads the rules topic, which has one partition, from the first message that is kept on. */
public final class KafkaRuleHistory implements HistorySource {
    private static final long serialVersionUID = 1L;

    private final String bootstrap;
    private final String topic;
    private final long end;

    /**
     * A history.
     *
     * @param end offset behind its last message, for a job without state
     */
    public KafkaRuleHistory(String bootstrap, String topic, long end) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.end = end;
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public boolean read(long before, Taker taker) throws InterruptedException {
        try (PartitionReader reader = new PartitionReader(bootstrap, topic)) {
            long start = reader.start();
            // Of a topic that was made anew there may be less.
            long to = Math.min(before, reader.committedEnd());
            reader.read(
                    start,
                    to,
                    message -> {
                        if (message.value() != null) {
                            taker.message(
                                    message.value(),
                                    TimeUnit.MILLISECONDS.toNanos(message.timestamp()));
                        }
                    });
            return start > 0;
        } catch (InterruptException e) {
            InterruptedException interrupted =
                    new InterruptedException("cancelled while the rule history was read");
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
