package dev.sluice.job.cluster;

import dev.sluice.job.kafka.KafkaClients;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a cluster to start.
 *
 * @param folder of the cluster
 * @param host address of this machine on which the processes listen and reach each other
 * @param webPort port of the web interface; 0 for a free one
 * @param webControl whether its pages may upload and run jars and cancel jobs
 * @param kafka brokers to use; null: the cluster starts one
 * @param kafkaPort port of that broker; 0 for a free one
 * @param taskManagers number of TaskManagers
 * @param cores on which each TaskManager is kept; empty: on any
 * @param slots of each TaskManager; null: one for each core of the machine, at least two, shared by
 *     all TaskManagers
 * @param watched whether a TaskManager that ended is started again
 * @param memoryMebibytes for all processes together; null: half of the machine's
 */
public record ClusterPlan(
        ClusterFolder folder,
        String host,
        int webPort,
        boolean webControl,
        @Nullable KafkaClients kafka,
        int kafkaPort,
        int taskManagers,
        List<CoreList> cores,
        @Nullable Integer slots,
        boolean watched,
        @Nullable Long memoryMebibytes) {
    private static final int LEAST_SLOTS = 2;

    /** Copies the list. */
    public ClusterPlan {
        cores = List.copyOf(cores);
    }

    /** Returns the memory of the smallest cluster with a broker of its own, in MiB. */
    public static long leastMebibytes(int taskManagers) {
        return ClusterMemory.least(taskManagers, true);
    }

    /** Returns the number of slots of each TaskManager. */
    int slotsEach() {
        return slots == null
                ? slotsEach(Runtime.getRuntime().availableProcessors(), taskManagers)
                : slots;
    }

    static int slotsEach(int cores, int taskManagers) {
        return (Math.max(LEAST_SLOTS, cores) + taskManagers - 1) / taskManagers;
    }
}
