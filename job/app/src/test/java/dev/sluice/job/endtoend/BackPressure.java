package dev.sluice.job.endtoend;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * How long tasks of jobs in this process are held back, by Flink's own metric. {@code
 * META-INF/services} names it.
 */
public final class BackPressure implements MetricReporterFactory {
    private static final String METRIC = "backPressuredTimeMsPerSecond";
    private static final Map<Metric, String> TASKS = new ConcurrentHashMap<>();

    /** Has a cluster with this configuration report here. */
    static void addTo(Configuration config) {
        config.setString(
                "metrics.reporter.back-pressure.factory.class", BackPressure.class.getName());
    }

    /** Milliseconds a second of the tasks whose name begins so: of the one with the most. */
    static long millis(String task) {
        return TASKS.entrySet().stream()
                .filter(known -> known.getValue().startsWith(task))
                .mapToLong(known -> ((Number) ((Gauge<?>) known.getKey()).getValue()).longValue())
                .max()
                .orElse(0);
    }

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return new Reporter();
    }

    private static final class Reporter implements MetricReporter {
        @Override
        public void open(MetricConfig config) {
            // nothing is to be opened
        }

        @Override
        public void close() {
            TASKS.clear();
        }

        @Override
        public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
            String task = group.getAllVariables().get("<task_name>");
            if (name.equals(METRIC) && task != null) {
                TASKS.put(metric, task);
            }
        }

        @Override
        public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
            TASKS.remove(metric);
        }
    }
}
