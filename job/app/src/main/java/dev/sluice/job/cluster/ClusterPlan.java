package dev.sluice.job.cluster;

import dev.sluice.job.kafka.KafkaClients;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster is to be.
 *
 * @param folder of the cluster
 * @param host address of this machine to listen on, under which the processes reach each other
 * @param webPort of the web interface; 0 for a free one
 * @param webControl whether its pages may upload and run jars and cancel jobs
 * @param kafka brokers that run; null: one is started
 * @param kafkaPort of that broker; 0 for a free one
 * @param taskManagers processes
 * @param cores on which each of them is kept; empty: on any
 * @param slots of each; null: a slot for each core, two at least, over all
 * @param watched whether TaskManagers that are gone are started again
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

    /** Memory of the smallest cluster with a broker of its own, in MiB. */
    public static long leastMebibytes(int taskManagers) {
        return ClusterMemory.least(taskManagers, true);
    }

    /** Slots of each TaskManager. */
    int slotsEach() {
        return slots == null
                ? slotsEach(Runtime.getRuntime().availableProcessors(), taskManagers)
                : slots;
    }

    static int slotsEach(int cores, int taskManagers) {
        return (Math.max(LEAST_SLOTS, cores) + taskManagers - 1) / taskManagers;
    }
}
