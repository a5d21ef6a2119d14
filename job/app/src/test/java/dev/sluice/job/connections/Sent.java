package dev.sluice.job.connections;

import dev.sluice.operators.connections.PacketTuple;
import org.jspecify.annotations.Nullable;

/** A packet that the kernel gets as a frame, and the tracker as a tuple. */
interface Sent {
    byte[] frame();

    PacketTuple fill(PacketTuple tuple);

    /** The packet in an ICMP error; null: it is none. */
    @Nullable Sent embedded();

    /** Tells whether the rules let it through. */
    boolean passes();
}
