package dev.sluice.job.packets;

import dev.sluice.job.capture.Tunnel;

/** Receiver of packets of frames that are counted apart. Used by one thread. */
@FunctionalInterface
interface FrameCounts {
    /** Takes a packet whose tunnel is not decapsulated. */
    void shut(Tunnel tunnel);

    /** Takes a later fragment whose first fragment was not seen before it. */
    default void lone() {}
}
