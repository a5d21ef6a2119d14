package dev.sluice.operators.classify;

/**
 * How a verdict block has what merely passes through: packet numbers, times and the fields that
 * travel along.
 */
public enum PassedColumns {
    /** As the packet block has them. */
    COPIED,
    /** Packet numbers and times as differences, where these take fewer bytes. */
    DELTAS,
    /**
     * Not at all: the block names topic, partition and offset of its packet block. Packets that
     * came one a message have no such block, and their columns are copied.
     */
    NAMED
}
