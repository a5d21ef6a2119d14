package dev.sluice.job.watch;

import java.util.Properties;
import org.apache.flink.traces.reporter.TraceReporter;
import org.apache.flink.traces.reporter.TraceReporterFactory;

/** Factory of reporters that tell the {@link MetricBoard} of a configuration of checkpoints. */
public final class CheckpointSpanFactory implements TraceReporterFactory {
    @Override
    public TraceReporter createTraceReporter(Properties properties) {
        return MetricBoard.spans(properties.getProperty(MetricBoard.BOARD));
    }
}
