package dev.sluice.policy.nft;

import java.util.Map;

/** Table of a ruleset, with its chains, sets and other objects by name. */
record Table(
        String family,
        String name,
        Node declaration,
        Map<String, Chain> chains,
        Map<String, NamedSet> sets,
        Map<String, Node> objects) {
    /** Returns whether the kernel leaves its chains out. */
    boolean isDormant() {
        Node flags = declaration.get("flags");
        return flags != null && flags.list().stream().anyMatch(flag -> flag.is("dormant"));
    }

    String words() {
        return family + " " + name;
    }
}
