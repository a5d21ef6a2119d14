package dev.sluice.job.packets;

import dev.sluice.job.capture.Tunnel;
import java.util.Arrays;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counters of packets whose tunnel is not decapsulated, by the kind of tunnel, and of later
 * fragments without a first one. Their own outer header is classified. Used by one thread.
 */
final class FrameMetrics implements FrameCounts {
    /** Label of a counter, whose value is the tunnel's. */
    static final String TUNNEL = "tunnel";

    static final String PACKETS = "shutTunnelPackets";
    static final String LONE = "loneFragments";

    private final Counter[] tunnels;
    private final Counter lone;

    /**
     * Registers counters in a group, from 0.
     *
     * @param inner whether tunnels are decapsulated
     */
    FrameMetrics(MetricGroup group, boolean inner) {
        tunnels =
                Arrays.stream(Tunnel.values())
                        .filter(tunnel -> inner)
                        .map(tunnel -> group.addGroup(TUNNEL, tunnel.label()).counter(PACKETS))
                        .toArray(Counter[]::new);
        lone = group.counter(LONE);
    }

    @Override
    public void shut(Tunnel tunnel) {
        tunnels[tunnel.ordinal()].inc();
    }

    @Override
    public void lone() {
        lone.inc();
    }
}
