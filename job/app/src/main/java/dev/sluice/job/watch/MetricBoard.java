package dev.sluice.job.watch;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.reporter.TraceReporter;
import org.apache.flink.traces.reporter.TraceReporterFactory;

/**
 * Metrics of an embedded cluster, collected in this process by a metric reporter of that cluster.
 *
 * <p>Call {@link #addTo} before the cluster starts; then {@link #figures} returns the metrics.
 *
 * <p>Thread-safe.
 */
public final class MetricBoard implements AutoCloseable {
    /** Key of the property by which a reporter finds its board. */
    static final String BOARD = "board";

    private static final String REPORTER = "metrics.reporter.sluice.";
    private static final String TRACES = "traces.reporter.sluice.";
    private static final String OPERATOR = "<operator_name>";

    /** Boards of this process by their id. */
    private static final Map<String, MetricBoard> BOARDS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final Map<JobMetric, Set<Metric>> ofTasks = new EnumMap<>(JobMetric.class);
    private final Map<String, Gauge<?>> ofCheckpoints = new ConcurrentHashMap<>();

    /**
     * Failed checkpoints. Flink's metric of that name also counts checkpoints that were never
     * triggered, such as those requested while tasks start.
     */
    private final AtomicLong failedCheckpoints = new AtomicLong();

    /** Name of Flink's metric of completed checkpoints. */
    private static final String COMPLETED = "numberOfCompletedCheckpoints";

    /** Name of Flink's span of a checkpoint that has ended. */
    private static final String SPAN = "Checkpoint";

    private static final String STATUS = "checkpointStatus";

    private static final String NEWEST = "lastCheckpointCompletedTimestamp";

    /** Creates a board to which no cluster reports yet. */
    public MetricBoard() {
        for (JobMetric metric : JobMetric.values()) {
            ofTasks.put(metric, ConcurrentHashMap.newKeySet());
        }
        BOARDS.put(id, this);
    }

    /** Makes a cluster that starts with this configuration report to this board. */
    public void addTo(Configuration config) {
        config.setString(REPORTER + "factory.class", Factory.class.getName());
        config.setString(REPORTER + BOARD, id);
        config.setString(TRACES + "factory.class", Factory.class.getName());
        config.setString(TRACES + BOARD, id);
    }

    /** Returns the board that a configuration names; an unread board if that one is closed. */
    private static MetricBoard board(Properties properties) {
        String id = properties.getProperty(BOARD);
        MetricBoard board = id == null ? null : BOARDS.get(id);
        return board == null ? new MetricBoard() : board;
    }

    /** Returns the current figures. */
    public JobFigures figures() {
        Map<JobMetric, Double> values = new EnumMap<>(JobMetric.class);
        ofTasks.forEach(
                (metric, tasks) ->
                        values.put(
                                metric,
                                metric.by()
                                        .of(
                                                tasks.stream()
                                                        .mapToDouble(MetricBoard::value)
                                                        .filter(v -> !Double.isNaN(v))
                                                        .toArray())));
        return new JobFigures(
                values, checkpoint(COMPLETED, 0), failedCheckpoints.get(), checkpoint(NEWEST, -1));
    }

    private long checkpoint(String name, long absent) {
        Gauge<?> gauge = ofCheckpoints.get(name);
        return gauge != null && gauge.getValue() instanceof Number number
                ? number.longValue()
                : absent;
    }

    private static double value(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number
                ? number.doubleValue()
                : Double.NaN;
    }

    @Override
    public void close() {
        BOARDS.remove(id);
    }

    /** Factory of reporters to a board. */
    public static final class Factory implements MetricReporterFactory, TraceReporterFactory {
        @Override
        public Reporter createMetricReporter(Properties properties) {
            return new Reporter(board(properties));
        }

        @Override
        public Reporter createTraceReporter(Properties properties) {
            return new Reporter(board(properties));
        }
    }

    /** Reporter that registers the metrics of a job on a board, and counts failed checkpoints. */
    record Reporter(MetricBoard board) implements MetricReporter, TraceReporter {
        @Override
        public void open(MetricConfig config) {
            // the board is there
        }

        @Override
        public void close() {
            board.close();
        }

        @Override
        public void notifyOfAddedSpan(Span span) {
            if (span.getName().equals(SPAN)
                    && CheckpointStatsStatus.FAILED
                            .name()
                            .equals(span.getAttributes().get(STATUS))) {
                board.failedCheckpoints.incrementAndGet();
            }
        }

        @Override
        public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
            tasks(name, group).ifPresent(tasks -> tasks.add(metric));
            if (metric instanceof Gauge<?> gauge && Set.of(COMPLETED, NEWEST).contains(name)) {
                board.ofCheckpoints.put(name, gauge);
            }
        }

        @Override
        public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
            tasks(name, group).ifPresent(tasks -> tasks.remove(metric));
        }

        /** The metrics of tasks that are known by a name; some groups precede it. */
        private Optional<Set<Metric>> tasks(String name, MetricGroup group) {
            String operator = group.getAllVariables().get(OPERATOR);
            String[] scope = group.getScopeComponents();
            String last = scope.length == 0 ? "" : scope[scope.length - 1];
            boolean grouped = Set.of("gpu", "connections").contains(last);
            return operator == null
                    ? Optional.empty()
                    : JobMetric.of(operator, grouped ? last + "." + name : name)
                            .map(board.ofTasks::get);
        }
    }
}
