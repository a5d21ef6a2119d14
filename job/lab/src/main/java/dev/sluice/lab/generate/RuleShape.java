package dev.sluice.lab.generate;

import dev.sluice.job.cli.Choice;

/** Kinds of rule sets that can be generated. */
public enum RuleShape {
    /** ClassBench's kind, access lists: specific addresses, exact destination ports. */
    ACL,
    /** ClassBench's kind, firewalls: one address nearly wild, port ranges. */
    FW,
    /** ClassBench's kind, IP chains: a mix of both. */
    IPC,
    /** IPv6 5-tuples. */
    IPV6,
    /** Twelve fields, those beyond the 5-tuple wild by a ratio (H-HashTree, JPDC 2022, §5). */
    OPENFLOW,
    /** IPv4 routes, longest prefix first. */
    ROUTES,
    /** IPv6 routes, longest prefix first. */
    ROUTES6,
    /** Bad for trees: every rule names a few scattered bits. */
    HOSTILE;

    /** Its name, as options have it. */
    public String label() {
        return Choice.label(this);
    }
}
