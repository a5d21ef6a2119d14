package dev.sluice.engine.crossproduct.model;

import dev.sluice.engine.prefix.PrefixSet;

/** The prefixes of a group, and what an address's rows say of them. */
public interface GroupPrefixes {
    /** The group's prefixes of an address: 0 for the source, 1 for the destination. */
    PrefixSet prefixes(int address);

    /**
     * Returns the value of a row for a prefix of the group.
     *
     * @param number 1 + the prefix's index, 0 for none
     */
    int field(int address, int number);

    /** Bits that a row needs for the group. */
    int bits(int address);
}
