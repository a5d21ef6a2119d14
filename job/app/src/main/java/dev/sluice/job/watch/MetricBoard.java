package dev.sluice.job.watch;

import java.util.EnumMap;
import java.util.Map;
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
 * The metrics of an embedded cluster, as a reporter of that cluster, for the process that it is in:
 * {@link #addTo} a configuration before the cluster starts, then ask for {@link #figures}.
 *
 * <p>Thread-safe.
 */
public final class MetricBoard implements AutoCloseable {
    /** Setting of a reporter that names its board. */
    static final String BOARD = "board";

    private static final String REPORTER = "metrics.reporter.sluice.";
    private static final String TRACES = "traces.reporter.sluice.";
    private static final String OPERATOR = "<operator_name>";

    /** Boards of clusters of this process, by what their configuration names. */
    private static final Map<String, MetricBoard> BOARDS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final Map<JobMetric, Set<Metric>> ofTasks = new EnumMap<>(JobMetric.class);
    private final Map<String, Gauge<?>> ofCheckpoints = new ConcurrentHashMap<>();

    /**
     * Checkpoints that failed. Flink's metric of that name counts those, too, that were not
     * triggered, as while tasks start.
     */
    private final AtomicLong failedCheckpoints = new AtomicLong();

    /** The names of Flink's metrics of a job's checkpoints. */
    private static final String COMPLETED = "numberOfCompletedCheckpoints";

    /** Flink's span of a checkpoint that has ended, and what it says of how. */
    private static final String SPAN = "Checkpoint";

    private static final String STATUS = "checkpointStatus";

    private static final String NEWEST = "lastCheckpointCompletedTimestamp";

    /** A board that no cluster reports to yet. */
    public MetricBoard() {
        for (JobMetric metric : JobMetric.values()) {
            ofTasks.put(metric, ConcurrentHashMap.newKeySet());
        }
        BOARDS.put(id, this);
    }

    /** Has a cluster that is started with this configuration report here. */
    public void addTo(Configuration config) {
        config.setString(REPORTER + "factory.class", Metrics.class.getName());
        config.setString(REPORTER + BOARD, id);
        config.setString(TRACES + "factory.class", Checkpoints.class.getName());
        config.setString(TRACES + BOARD, id);
    }

    /** The board that a configuration names; one that nobody reads if that is closed. */
    private static MetricBoard board(Properties properties) {
        String id = properties.getProperty(BOARD);
        MetricBoard board = id == null ? null : BOARDS.get(id);
        return board == null ? new MetricBoard() : board;
    }

    /** What the metrics say now. */
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

    /** Factory of reporters that tell a board of metrics. */
    public static final class Metrics implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new Reporter(board(properties));
        }
    }

    /** Factory of reporters that tell a board of checkpoints. */
    public static final class Checkpoints implements TraceReporterFactory {
        @Override
        public TraceReporter createTraceReporter(Properties properties) {
            return new Spans(board(properties));
        }
    }

    /** Counts the checkpoints that failed. */
    private record Spans(MetricBoard board) implements TraceReporter {
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
    }

    /** What the cluster knows of a board. */
    private record Reporter(MetricBoard board) implements MetricReporter {
        @Override
        public void open(MetricConfig config) {
            // the board is there
        }

        @Override
        public void close() {
            board.close();
        }

        @Override
        public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
            String operator = group.getAllVariables().get(OPERATOR);
            if (operator != null) {
                JobMetric.of(operator, whole(name, group))
                        .ifPresent(known -> tasks(known).add(metric));
            } else if (metric instanceof Gauge<?> gauge
                    && Set.of(COMPLETED, NEWEST).contains(name)) {
                board.ofCheckpoints.put(name, gauge);
            }
        }

        @Override
        public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
            String operator = group.getAllVariables().get(OPERATOR);
            if (operator != null) {
                JobMetric.of(operator, whole(name, group))
                        .ifPresent(known -> tasks(known).remove(metric));
            }
        }

        private Set<Metric> tasks(JobMetric metric) {
            Set<Metric> tasks = board.ofTasks.get(metric);
            if (tasks == null) {
                throw new IllegalStateException("a board without " + metric);
            }
            return tasks;
        }

        /** The name with the group of the GPU in front of it. */
        private static String whole(String name, MetricGroup group) {
            String[] scope = group.getScopeComponents();
            return scope.length > 0 && scope[scope.length - 1].equals("gpu") ? "gpu." + name : name;
        }
    }
}
