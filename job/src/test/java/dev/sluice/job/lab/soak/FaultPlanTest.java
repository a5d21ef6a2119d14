package dev.sluice.job.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static List<FaultPlan.Planned> first(int count, long seed) {
        return Stream.generate(new FaultPlan(seed)::next).limit(count).toList();
    }

    @Test
    void aSeedGivesTheSamePlanAndAnotherSeedAnother() {
        assertEquals(first(100, 7), first(100, 7));
        assertNotEquals(first(100, 7), first(100, 8));
    }

    @Test
    void eachEightFaultsHitEveryKindOfProcess() {
        assertEquals(
                Map.of(
                        Fault.TASK_MANAGER, 30L,
                        Fault.COMMIT, 20L,
                        Fault.JOB_MANAGER, 20L,
                        Fault.BROKER, 10L),
                first(80, 3).stream()
                        .map(FaultPlan.Planned::fault)
                        .collect(
                                Collectors.groupingBy(Function.identity(), Collectors.counting())));
    }
}
