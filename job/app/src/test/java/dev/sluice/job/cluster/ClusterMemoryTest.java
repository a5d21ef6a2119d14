package dev.sluice.job.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.UsageException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterMemoryTest {
    private static final long GIBI = 1024;

    private static void assertRefused(String part, long machine, Long wanted, int taskManagers) {
        UsageException refused =
                assertThrows(
                        UsageException.class,
                        () -> ClusterMemory.of(machine, wanted, taskManagers, true));
        assertTrue(refused.getMessage().contains(part), refused.getMessage());
    }

    @Test
    void itIsHalfOfTheMachine() {
        ClusterMemory memory = ClusterMemory.of(32 * GIBI, null, 2, true);
        assertEquals(new ClusterMemory(2048, 1024, (16_384 - 3_072) / 2), memory);
        assertEquals(2048 - 192, memory.brokerHeap());
        assertEquals(1024 - 192, memory.jobManagerHeap());
    }

    @Test
    void largeMachinesGiveTheRestToTaskManagers() {
        assertEquals(
                new ClusterMemory(4096, 2048, 512 * 1024 - 6144),
                ClusterMemory.of(1024 * GIBI, null, 1, true));
    }

    @Test
    void theSmallestClusterTakesMoreThanHalf() {
        assertEquals(new ClusterMemory(640, 512, 1024), ClusterMemory.of(3_000, null, 1, true));
        assertEquals(new ClusterMemory(0, 512, 1024), ClusterMemory.of(2_000, null, 1, false));
    }

    @ParameterizedTest
    @CsvSource({"2176,1", "2500,1", "6000,4", "9000,7", "30000,1", "100000,64"})
    void itIsNeverMoreThanWasAsked(long wanted, int taskManagers) {
        ClusterMemory memory = ClusterMemory.of(200_000, wanted, taskManagers, true);
        assertTrue(memory.taskManager() >= ClusterMemory.LEAST_TASK_MANAGER);
        assertTrue(
                memory.broker() + memory.jobManager() + (long) taskManagers * memory.taskManager()
                        <= wanted,
                memory.toString());
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertRefused("--memory: 2175 MiB is too little", 32 * GIBI, 2_175L, 1);
        assertRefused("need at least 3200 MiB", 32 * GIBI, 3_000L, 2);
        assertRefused("--memory: 4097 MiB is more than the 4096 MiB of this", 4 * GIBI, 4_097L, 1);
        assertRefused("8 TaskManagers need at least 9344 MiB", 8 * GIBI, null, 8);
    }

    /** A TaskManager that is started without Flink's scripts ends where a part is missing. */
    @ParameterizedTest
    @CsvSource({"1024,1,1", "1024,2,2", "8192,8,16", "65536,64,64"})
    void aTaskManagersPartsAreThePartsOfItsProcess(int process, int slots, int allSlots) {
        TaskManagerMemory parts = TaskManagerMemory.of(process, slots, allSlots);
        Configuration config = new Configuration();
        config.set(TaskManagerOptions.CPU_CORES, 1.0);
        parts.addTo(config);
        assertEquals(
                process,
                TaskExecutorProcessUtils.processSpecFromConfig(config)
                        .getTotalProcessMemorySize()
                        .getMebiBytes());
        assertTrue(parts.heap() >= process / 3, parts.toString());
    }

    @Test
    void moreSlotsThanTheNetworkHasRoomForAreRefused() {
        UsageException refused =
                assertThrows(UsageException.class, () -> TaskManagerMemory.of(1_024, 32, 32));
        assertTrue(refused.getMessage().contains("give more with --memory"));
    }

    @Test
    void slotsAreCores() {
        assertEquals(2, ClusterPlan.slotsEach(1, 1));
        assertEquals(16, ClusterPlan.slotsEach(16, 1));
        assertEquals(6, ClusterPlan.slotsEach(16, 3));
    }
}
