package dev.sluice.job.watch;

import java.util.Arrays;
import java.util.Optional;

/** Metrics of tasks from which the figures of a job are made. */
public enum JobMetric {
    /** Headers that went into batches. */
    HEADERS("classify", "headers", By.SUM),
    /** Verdicts that were emitted. */
    VERDICTS("classify", "verdicts", By.SUM),
    /** Share of each task's last batch that was full. */
    BATCH_FILL("classify", "batchFill", By.AVG),
    /** Packets judged since the job's start, restarts included. */
    JUDGED("classify", "packetsJudged", By.SUM),
    /** Version of the rules in force; the oldest over all tasks. */
    VERSION("classify", "ruleSetVersion", By.MIN),
    /** Time since which that version is in force, in ms since 1970; the newest over all tasks. */
    VERSION_SINCE("classify", "ruleSetSinceMillis", By.MAX),
    /** Batches that a device looked up. */
    DEVICE_BATCHES("classify", "gpu.batches", By.SUM),
    /** Batches that the CPU looked up although a device serves the rules. */
    CPU_BATCHES("classify", "gpu.cpuBatches", By.SUM),
    /** 1 while a failed device waits for its next trial. */
    DEVICE_RESTS("classify", "gpu.resting", By.MAX),
    /** Messages that the job's state keeps until their rules arrive. */
    WAITING("classify", "waitingBlocks", By.SUM),
    /** Connections that had not ended at the last checkpoint, where these are counted. */
    LIVE("classify", "connections.liveAtCheckpoint", By.SUM),
    /** Connections that were entered. */
    CONNECTIONS("classify", "connections.created", By.SUM),
    /** TCP connections that began with an ACK. */
    PICKED_UP("classify", "connections.pickedUp", By.SUM),
    /** First packets of connections that were not let through. */
    REFUSED("classify", "connections.refused", By.SUM),
    /** Connections that ended early at the largest number. */
    EVICTED("classify", "connections.evicted", By.SUM),
    /** First packets that found no connection to end. */
    NOT_ENTERED("classify", "connections.notEntered", By.SUM),
    /** Connections whose first packet depends. */
    DOUBTFUL("classify", "connections.doubtful", By.SUM),
    /** Packets that answer others. */
    ANSWERING("classify", "connections.answeringPackets", By.SUM),
    /** Connections that rules of a later version judged anew. */
    REEVALUATED("classify", "connections.reevaluated", By.SUM),
    /** Of those, connections that were refused. */
    ENDED_BY_RULES("classify", "connections.endedByRules", By.SUM),
    /** TCP segments whose numbers no header states, where windows are tracked. */
    UNTOLD("classify", "connections.untoldSegments", By.SUM),
    /** Unread messages of the packets topic. */
    LAG("Source: packets", "pendingRecords", By.SUM),
    /** Dead letters since the job's start, restarts included. */
    DEAD_LETTERS("dead letters by reason", "deadLetters", By.SUM),
    /** Captures that were read to their end, in a job that classifies captures. */
    CAPTURES("dead letters by reason", "capturesRead", By.SUM);

    /** Aggregation of the numbers of several tasks to one. */
    enum By {
        SUM,
        MIN,
        MAX,
        AVG;

        /** Name of the aggregation in Flink's REST interface. */
        String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        /** Aggregates several numbers to one; NaN where there is none. */
        double of(double[] numbers) {
            return switch (this) {
                case SUM -> numbers.length == 0 ? Double.NaN : Arrays.stream(numbers).sum();
                case MIN -> Arrays.stream(numbers).min().orElse(Double.NaN);
                case MAX -> Arrays.stream(numbers).max().orElse(Double.NaN);
                case AVG -> Arrays.stream(numbers).average().orElse(Double.NaN);
            };
        }
    }

    private final String operator;
    private final String metric;
    private final By by;

    JobMetric(String operator, String metric, By by) {
        this.operator = operator;
        this.metric = metric;
        this.by = by;
    }

    /** Returns the aggregation of the tasks' numbers. */
    By by() {
        return by;
    }

    /** Returns the name of the operator that reports the metric. */
    public String operator() {
        return operator;
    }

    /** Returns the name of the aggregation in Flink's REST interface. */
    public String aggregation() {
        return by.label();
    }

    /** Tells whether the metric is of connections, which the summary of a replay alone tells. */
    boolean isOfConnections() {
        return metric.startsWith("connections.");
    }

    /** Returns the name of the metric in the REST interface of its operator's vertex. */
    public String restId() {
        return operator.replaceAll("[ .:,]", "_") + "." + metric;
    }

    /** Finds the metric of an operator by its name; metric groups precede the name with dots. */
    static Optional<JobMetric> of(String operator, String metric) {
        return Arrays.stream(values())
                .filter(m -> m.operator.equals(operator) && m.metric.equals(metric))
                .findFirst();
    }
}
