package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A million packets, each match as the deciding one at each depth a hundred times. */
@Tag("long")
class ManyFirewallsTest {
    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6"})
    void eachMatchDecidesAtEachDepth(Backend backend, int version) throws Exception {
        FirewallRun run = new FirewallRun(backend, version, 1250);
        run.judgeAll();
        assertTrue(run.coverage().least() >= 100, run.coverage().table());
    }
}
