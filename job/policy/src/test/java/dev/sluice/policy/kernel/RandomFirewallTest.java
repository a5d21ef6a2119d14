package dev.sluice.policy.kernel;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random policies of iptables mean here what they mean to the kernel, to the packet and the rule.
 * Under nftables later fragments differ, whose ports are payload: {@link IptablesImportTest} asks
 * those.
 */
class RandomFirewallTest {
    @ParameterizedTest
    @CsvSource({"LEGACY,4", "LEGACY,6"})
    void eachPacketMeetsTheRuleThatTheKernelTells(Backend backend, int version) throws Exception {
        new FirewallRun(backend, version, 25, 200).judgeAll(0);
    }
}
