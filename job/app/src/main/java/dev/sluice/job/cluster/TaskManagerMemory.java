package dev.sluice.job.cluster;

import dev.sluice.job.UsageException;
import dev.sluice.job.graph.LocalFlink;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * Memory of a TaskManager by purpose, in MiB. Flink's scripts compute these parts; a TaskManager
 * that starts without the scripts needs each of them.
 *
 * <p>Network buffers have what the graph's edges need at a parallelism of all slots. Memory outside
 * the heap has an eighth (images of rules, Kafka's sockets), the JVM's own a tenth, and the heap
 * the rest. No memory is managed, since the job keeps its state on the heap.
 *
 * @param heap of Flink and tasks
 * @param offHeap of tasks
 * @param network buffers between tasks
 * @param overhead of the JVM: code, stacks
 */
record TaskManagerMemory(int heap, int offHeap, int network, int overhead) {
    private static final int METASPACE = 192;
    private static final int FRAMEWORK_OFF_HEAP = 64;
    private static final int FRAMEWORK_HEAP = 128;
    private static final int LEAST_HEAP = 384;
    private static final int LEAST_OVERHEAD = 128;
    private static final int OFF_HEAP_SHARE = 8;
    private static final int OVERHEAD_SHARE = 10;

    /**
     * Divides the memory of a process.
     *
     * @param process memory of the process, in MiB
     * @param slots of this TaskManager
     * @param allSlots of all TaskManagers
     * @throws UsageException if the heap would be too small
     */
    static TaskManagerMemory of(int process, int slots, int allSlots) {
        int network = LocalFlink.networkMemory(slots, allSlots).getMebiBytes();
        int offHeap = process / OFF_HEAP_SHARE;
        int overhead = Math.max(LEAST_OVERHEAD, process / OVERHEAD_SHARE);
        int heap = process - network - offHeap - overhead - METASPACE - FRAMEWORK_OFF_HEAP;
        if (heap < LEAST_HEAP) {
            throw new UsageException(
                    "a TaskManager of %d MiB with %d slots of %d has %d MiB of heap, less than %d; give more with --memory, or start fewer with --task-managers or --slots"
                            .formatted(process, slots, allSlots, heap, LEAST_HEAP));
        }
        return new TaskManagerMemory(heap, offHeap, network, overhead);
    }

    /** Sets every part. */
    void addTo(Configuration config) {
        config.set(TaskManagerOptions.FRAMEWORK_HEAP_MEMORY, mebi(FRAMEWORK_HEAP));
        config.set(TaskManagerOptions.TASK_HEAP_MEMORY, mebi(heap - FRAMEWORK_HEAP));
        config.set(TaskManagerOptions.FRAMEWORK_OFF_HEAP_MEMORY, mebi(FRAMEWORK_OFF_HEAP));
        config.set(TaskManagerOptions.TASK_OFF_HEAP_MEMORY, mebi(offHeap));
        config.set(TaskManagerOptions.NETWORK_MEMORY_MIN, mebi(network));
        config.set(TaskManagerOptions.NETWORK_MEMORY_MAX, mebi(network));
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ZERO);
        config.set(TaskManagerOptions.JVM_METASPACE, mebi(METASPACE));
        config.set(TaskManagerOptions.JVM_OVERHEAD_MIN, mebi(overhead));
        config.set(TaskManagerOptions.JVM_OVERHEAD_MAX, mebi(overhead));
        config.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, LocalFlink.SEGMENT);
    }

    /** Returns the JVM options of this memory; the collector is that of {@code sluice run}. */
    List<String> jvmOptions() {
        return List.of(
                "-Xmx" + heap + "m",
                "-XX:MaxDirectMemorySize=" + (FRAMEWORK_OFF_HEAP + offHeap + network) + "m",
                "-XX:MaxMetaspaceSize=" + METASPACE + "m",
                "-XX:+UseG1GC",
                "-XX:MaxTenuringThreshold=2");
    }

    private static MemorySize mebi(int size) {
        return MemorySize.ofMebiBytes(size);
    }
}
