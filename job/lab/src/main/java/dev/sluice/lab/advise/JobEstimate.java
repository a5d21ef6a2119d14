package dev.sluice.lab.advise;

/**
 * Estimate of a job's throughput. It combines look-ups measured here with the remaining costs of a
 * header, which were measured elsewhere.
 *
 * @param cores of this machine
 * @param lookUpNanos time of a core that a look-up takes here, with all cores at work; with a
 *     device, what cores wait for it included
 */
record JobEstimate(int cores, double lookUpNanos) {
    /** Source of the figures below. */
    static final String SOURCE = "docs/benchmarks/corridor.md";

    /** Which of the runs there, from 1 on: as a job starts, its JIT compiler still at work. */
    static final int RUN = 3;

    /** ns of CPU that a header takes in the job's process and the reader's, steady, in that run. */
    static final double JOB_NANOS = 89.7;

    /** ns of CPU that a header takes in the broker's process in that run. */
    static final double BROKER_NANOS = 43.7;

    /** ns of the job's that its look-up took in that run (decision 0058). */
    static final double LOOK_UP_NANOS = 10;

    /** M headers a second of that run, steady, on {@link #CORES} cores. */
    static final double MPPS = 13.63;

    /** Cores that job, broker and reader shared in that run. */
    static final int CORES = 2;

    /** ns of CPU of a header beside its look-up: Kafka's clients, Flink, encoding, the broker. */
    static double plumbingNanos() {
        return JOB_NANOS - LOOK_UP_NANOS + BROKER_NANOS;
    }

    /** M headers a second with the broker on these cores, too, at a look-up of so many ns. */
    private double mpps(double lookUp) {
        double busy = MPPS / 1e3 * (JOB_NANOS + BROKER_NANOS) / CORES;
        return 1e3 * busy * cores / (plumbingNanos() + lookUp);
    }

    /** M headers a second with the broker on these cores, too. */
    double mpps() {
        return mpps(lookUpNanos);
    }

    /** M headers a second if look-ups took the CPU no time, as at best with a device. */
    double mostMpps() {
        return mpps(0);
    }

    /** By what share a device could raise what the job carries at best. */
    double gain() {
        return mostMpps() / mpps() - 1;
    }
}
