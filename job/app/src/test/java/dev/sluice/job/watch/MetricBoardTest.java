package dev.sluice.job.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Properties;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointStatsTracker;
import org.apache.flink.traces.Span;
import org.junit.jupiter.api.Test;

class MetricBoardTest {
    private static Span checkpoint(String status) {
        return Span.builder(CheckpointStatsTracker.class, "Checkpoint")
                .setAttribute("checkpointStatus", status)
                .build();
    }

    /** Flink's own count has those that were not triggered, too, as while tasks start. */
    @Test
    void checkpointsThatWereTriggeredAndFailedCountAsFailed() {
        Configuration config = new Configuration();
        try (MetricBoard board = new MetricBoard()) {
            board.addTo(config);
            Properties properties = new Properties();
            properties.setProperty(
                    MetricBoard.BOARD, config.toMap().get("metrics.reporter.sluice.board"));
            Gauge<Long> all = () -> 5L;
            new MetricBoard.Factory()
                    .createMetricReporter(properties)
                    .notifyOfAddedMetric(
                            all, "numberOfFailedCheckpoints", new UnregisteredMetricsGroup());
            assertEquals(0, board.figures().failedCheckpoints());

            properties.setProperty(
                    MetricBoard.BOARD, config.toMap().get("traces.reporter.sluice.board"));
            var spans = new MetricBoard.Factory().createTraceReporter(properties);
            spans.notifyOfAddedSpan(checkpoint("FAILED"));
            spans.notifyOfAddedSpan(checkpoint("COMPLETED"));
            assertEquals(1, board.figures().failedCheckpoints());
        }
    }
}
