package dev.sluice.job.cluster;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.Amount;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a cluster's processes, in MiB each.
 *
 * <p>Together they take half of the machine's memory, at least what the smallest cluster needs; the
 * other half caches the broker's files. The broker has an eighth (640 MiB to 4 GiB: Kafka keeps
 * little on its heap, its data is in the system's cache), the JobManager a sixteenth (512 MiB to 2
 * GiB). The TaskManagers share the rest.
 *
 * @param broker 0 where the cluster has none of its own
 * @param taskManager of each
 */
record ClusterMemory(int broker, int jobManager, int taskManager) {
    /** Smallest memory of a TaskManager: less leaves its heap no room for rules. */
    static final int LEAST_TASK_MANAGER = 1024;

    private static final int LEAST_BROKER = 640;
    private static final int MOST_BROKER = 4096;
    private static final int BROKER_SHARE = 8;
    private static final int LEAST_JOB_MANAGER = 512;
    private static final int MOST_JOB_MANAGER = 2048;
    private static final int JOB_MANAGER_SHARE = 16;

    /** Memory that an idle JVM needs beside its heap: classes, code, stacks. */
    private static final int BESIDE_HEAP = 192;

    /**
     * Divides the memory.
     *
     * @param machine memory of the machine, in MiB
     * @param wanted memory of all processes together, in MiB; null: half of the machine's
     * @param taskManagers number of TaskManagers
     * @param broker whether the cluster has a broker of its own
     * @throws UsageException if the memory is too small, or more than the machine has
     */
    static ClusterMemory of(long machine, @Nullable Long wanted, int taskManagers, boolean broker) {
        long least = least(taskManagers, broker);
        long all = wanted == null ? Math.max(machine / 2, least) : wanted;
        if (all > machine) {
            throw new UsageException(
                    wanted == null
                            ? "%s need at least %d MiB, but this machine has %d MiB; start fewer with --task-managers"
                                    .formatted(
                                            Amount.of(taskManagers, "TaskManager"), least, machine)
                            : "--memory: %d MiB is more than the %d MiB of this machine"
                                    .formatted(all, machine));
        }
        if (all < least) {
            throw new UsageException(
                    "--memory: %d MiB is too little; %s, a JobManager and %s need at least %d MiB"
                            .formatted(
                                    all,
                                    broker ? "a broker" : "no broker",
                                    Amount.of(taskManagers, "TaskManager"),
                                    least));
        }
        int ofBroker = broker ? share(all, BROKER_SHARE, LEAST_BROKER, MOST_BROKER) : 0;
        int ofJobManager = share(all, JOB_MANAGER_SHARE, LEAST_JOB_MANAGER, MOST_JOB_MANAGER);
        long rest = (all - ofBroker - ofJobManager) / taskManagers;
        if (rest < LEAST_TASK_MANAGER) { // shares above their least leave too little
            return new ClusterMemory(
                    broker ? LEAST_BROKER : 0, LEAST_JOB_MANAGER, LEAST_TASK_MANAGER);
        }
        return new ClusterMemory(ofBroker, ofJobManager, Math.toIntExact(rest));
    }

    /** Returns the memory of the smallest cluster, in MiB. */
    static long least(int taskManagers, boolean broker) {
        return LEAST_JOB_MANAGER
                + (broker ? LEAST_BROKER : 0)
                + (long) LEAST_TASK_MANAGER * taskManagers;
    }

    private static int share(long all, int part, int least, int most) {
        return Math.toIntExact(Math.max(least, Math.min(most, all / part)));
    }

    /** Returns the heap of a broker, in MiB. */
    int brokerHeap() {
        return broker - BESIDE_HEAP;
    }

    /** Returns the heap of the JobManager, in MiB. */
    int jobManagerHeap() {
        return jobManager - BESIDE_HEAP;
    }
}
