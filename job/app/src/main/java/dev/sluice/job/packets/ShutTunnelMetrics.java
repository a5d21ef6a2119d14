package dev.sluice.job.packets;

import dev.sluice.job.capture.Tunnel;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counters of packets whose tunnel is not decapsulated, by the kind of tunnel. Their outer header
 * is classified. Used by one thread.
 */
final class ShutTunnelMetrics implements Consumer<Tunnel> {
    /** Label of a counter, whose value is the tunnel's. */
    static final String TUNNEL = "tunnel";

    static final String PACKETS = "shutTunnelPackets";

    private final Counter[] counters;

    /** Registers counters in a group, from 0. */
    ShutTunnelMetrics(MetricGroup group) {
        counters =
                Arrays.stream(Tunnel.values())
                        .map(tunnel -> group.addGroup(TUNNEL, tunnel.label()).counter(PACKETS))
                        .toArray(Counter[]::new);
    }

    @Override
    public void accept(Tunnel tunnel) {
        counters[tunnel.ordinal()].inc();
    }
}
