package dev.sluice.policy.kernel;

import java.util.List;

/** Way of a packet through a host: the base chains that it meets, in order. */
enum ProbeHook {
    INPUT("raw/PREROUTING", "mangle/PREROUTING", "mangle/INPUT", "filter/INPUT"),
    FORWARD(
            "raw/PREROUTING",
            "mangle/PREROUTING",
            "mangle/FORWARD",
            "filter/FORWARD",
            "mangle/POSTROUTING"),
    OUTPUT("raw/OUTPUT", "mangle/OUTPUT", "filter/OUTPUT", "mangle/POSTROUTING");

    private final List<String> baseChains;

    ProbeHook(String... baseChains) {
        this.baseChains = List.of(baseChains);
    }

    /** Returns the base chains of iptables in the kernel's order, each as {@code table/chain}. */
    List<String> baseChains() {
        return baseChains;
    }
}
