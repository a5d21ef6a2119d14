package dev.sluice.job.watch;

import java.util.Properties;
import org.apache.flink.traces.reporter.TraceReporter;
import org.apache.flink.traces.reporter.TraceReporterFactory;

/** Makes what tells the {@link MetricBoard} that a cluster's configuration names of checkpoints. */
public final class CheckpointSpanFactory implements TraceReporterFactory {
    @Override
    public TraceReporter createTraceReporter(Properties properties) {
        return MetricBoard.spans(properties.getProperty(MetricBoard.BOARD));
    }
}
