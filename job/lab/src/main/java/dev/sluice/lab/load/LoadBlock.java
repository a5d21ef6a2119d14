package dev.sluice.lab.load;

/**
 * A block in its place of a load.
 *
 * @param before headers of the load in front of it: one less than the number of its first packet
 */
public record LoadBlock(RepeatedBlock block, long before) {}
