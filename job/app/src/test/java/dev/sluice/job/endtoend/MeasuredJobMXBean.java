package dev.sluice.job.endtoend;

/** What a {@link MeasuredJob} tells of itself, beside what every JVM tells. */
public interface MeasuredJobMXBean {
    /** How long the source of packets is held back, in ms of each second, by Flink's metric. */
    long getHeldBackMillis();

    /** How often the job has failed. */
    int getFailures();
}
