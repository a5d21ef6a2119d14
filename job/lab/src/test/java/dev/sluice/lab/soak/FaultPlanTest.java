package dev.sluice.lab.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    private static List<List<FaultPlan.Planned>> first(int bursts, long seed) {
        return Stream.generate(new FaultPlan(seed)::next).limit(bursts).toList();
    }

    @Test
    void aSeedGivesTheSamePlanAndAnotherSeedAnother() {
        assertEquals(first(100, 7), first(100, 7));
        assertNotEquals(first(100, 7), first(100, 8));
    }

    @Test
    void eachTenFaultsHitEveryKindOfProcess() {
        assertEquals(
                Map.of(
                        Fault.TASK_MANAGER, 30L,
                        Fault.COMMIT, 20L,
                        Fault.JOB_MANAGER, 20L,
                        Fault.BROKER, 10L,
                        Fault.PUBLISHER, 20L),
                first(100, 3).stream()
                        .flatMap(List::stream)
                        .limit(100)
                        .map(FaultPlan.Planned::fault)
                        .collect(
                                Collectors.groupingBy(Function.identity(), Collectors.counting())));
    }

    @Test
    void someFaultsStrikeBeforeTheJobIsBackButNoneOfThoseAtACommit() {
        List<List<FaultPlan.Planned>> bursts = first(100, 5);
        assertTrue(bursts.stream().anyMatch(burst -> burst.size() > 2));
        assertTrue(bursts.stream().anyMatch(burst -> burst.size() == 1));
        for (List<FaultPlan.Planned> burst : bursts) {
            for (FaultPlan.Planned follower : burst.subList(1, burst.size())) {
                assertNotEquals(Fault.COMMIT, follower.fault(), burst.toString());
            }
        }
    }
}
