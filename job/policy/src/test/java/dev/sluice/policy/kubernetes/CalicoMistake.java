package dev.sluice.policy.kubernetes;

/** Mistakes of a reader of Calico's policies, each of which some packet must tell of. */
enum CalicoMistake {
    NONE,
    ORDER_IGNORED,
    PASS_ALLOWS,
    LOG_DENIES,
    TIER_NEVER_DENIES,
    TIER_DENIES_IN_SPITE_OF_PASS,
    TIERS_REVERSED,
    NOT_SELECTOR_IGNORED,
    NOT_NETS_IGNORED,
    NOT_PORTS_IGNORED,
    NOT_PROTOCOL_IGNORED,
    NETS_OR_SELECTOR,
    SELECTOR_OF_ALL_NAMESPACES,
    SETS_IGNORED,
    EGRESS_ALWAYS,
    NAMED_PORTS_IGNORED,
    ICMP_TYPE_IGNORED,
    IP_VERSION_IGNORED,
    NETWORK_POLICIES_LAST
}
