package dev.sluice.lab.generate;

/** Patterns of rules, each hard for some structure. */
enum HostilePattern {
    /** Every rule names a few scattered bits: bad for trees. */
    SCATTERED,
    /**
     * All ranges of both ports overlap, none equals another: n times n cells for bitvectors, RFC.
     */
    NESTED_RANGES,
    /** Chains of nested prefixes of both addresses, crossed: pairs of prefixes without end. */
    GRID,
    /** A mask with holes for each rule: a table for each rule where tables go by mask. */
    MASKS,
    /** Hosts, each with a range of ports of its own. */
    HOST_RANGES,
    /** Masks with holes over IPv6 and MAC addresses: chunks of wide headers that combine. */
    WIDE_MASKS,
    /** One chain: each rule contains the one before, over both addresses and both ports. */
    CHAIN,
    /** Rules that match nearly every header, each in a way of its own. */
    DEFAULTS,
    /** One rule again and again, under falling priorities. */
    COPIES,
    /** One pair of prefixes with ever other ports: a list as long as the rules. */
    ONE_PAIR,
    /** Short prefixes of one address, again and again: each covers most of a table of routes. */
    SHORT_ROUTES
}
