package dev.sluice.job.watch;

import java.util.Properties;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Makes what reports to the {@link MetricBoard} that a cluster's configuration names. */
public final class MetricBoardFactory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return MetricBoard.reporter(properties.getProperty(MetricBoard.BOARD));
    }
}
