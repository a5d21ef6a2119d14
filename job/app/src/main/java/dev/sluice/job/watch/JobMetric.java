package dev.sluice.job.watch;

import java.util.Arrays;
import java.util.Optional;

/** The metrics of tasks that the figures of a job are made of. */
public enum JobMetric {
    /** Headers that went into batches. */
    HEADERS("classify", "headers", By.SUM),
    /** Verdicts that were emitted. */
    VERDICTS("classify", "verdicts", By.SUM),
    /** Share of each task's last batch that was full. */
    BATCH_FILL("classify", "batchFill", By.AVG),
    /** Packets judged since the job's start, restarts included. */
    JUDGED("classify", "packetsJudged", By.SUM),
    /** The version of the rules in force where that is oldest. */
    VERSION("classify", "ruleSetVersion", By.MIN),
    /** Since when, in ms since 1970. */
    VERSION_SINCE("classify", "ruleSetSinceMillis", By.MAX),
    /** Batches that a device looked up. */
    DEVICE_BATCHES("classify", "gpu.batches", By.SUM),
    /** Batches that went to the CPU where a device serves the rules. */
    CPU_BATCHES("classify", "gpu.cpuBatches", By.SUM),
    /** 1 where a device failed and is not tried yet. */
    DEVICE_RESTS("classify", "gpu.resting", By.MAX),
    /** Messages that wait for rules in the job's state. */
    WAITING("classify", "waitingBlocks", By.SUM),
    /** Messages of the packets topic that were not read. */
    LAG("Source: packets", "pendingRecords", By.SUM),
    /** Dead letters since the job's start, restarts included. */
    DEAD_LETTERS("dead letters by reason", "deadLetters", By.SUM),
    /** Captures that were read to an end, of a job that judges captures. */
    CAPTURES("dead letters by reason", "capturesRead", By.SUM);

    /** How the numbers of several tasks become one. */
    enum By {
        SUM,
        MIN,
        MAX,
        AVG;

        /** As the REST interface names it. */
        String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        /** One number of several; NaN of none. */
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

    /** How tasks' numbers become one. */
    By by() {
        return by;
    }

    /** Name of the operator that has it. */
    public String operator() {
        return operator;
    }

    /** How the numbers of tasks become one, in the words of the REST interface. */
    public String aggregation() {
        return by.label();
    }

    /** As the REST interface names it in the operator's vertex. */
    public String restId() {
        return operator.replaceAll("[ .:,]", "_") + "." + metric;
    }

    /** The one of an operator by its name, groups in front of it with dots. */
    static Optional<JobMetric> of(String operator, String metric) {
        return Arrays.stream(values())
                .filter(m -> m.operator.equals(operator) && m.metric.equals(metric))
                .findFirst();
    }
}
