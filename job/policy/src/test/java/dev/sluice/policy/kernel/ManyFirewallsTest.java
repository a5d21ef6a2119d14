package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A million packets, each match as the deciding one at each depth a hundred times. */
@Tag("long")
class ManyFirewallsTest {
    private static final int POLICIES = Integer.getInteger("sluice.test.policies", 1300);
    private static final int PACKETS = 400;
    private static final int GOAL = 100;

    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6"})
    void eachMatchDecidesAtEachDepth(Backend backend, int version) throws Exception {
        FirewallRun run = new FirewallRun(backend, version, POLICIES, PACKETS);
        run.judgeAll(GOAL);
        assertTrue(
                run.coverage().packets() >= 500_000, run.coverage().packets() + " packets alone");
        assertEquals(List.of(), run.coverage().lacking(GOAL), "cells that packets do not prove");
    }
}
