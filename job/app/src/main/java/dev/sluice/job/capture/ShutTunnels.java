package dev.sluice.job.capture;

import dev.sluice.policy.io.Amount;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Packets whose tunnel was not opened, by the kind of tunnel: encrypted, without IP, or of a form
 * that is not known. The header around the tunnel counts. Not thread-safe.
 */
public final class ShutTunnels {
    private final long[] counts = new long[Tunnel.values().length];
    private long sum;

    /** Counts a packet; null: its tunnel was opened, or it has none. */
    public void add(@Nullable Tunnel tunnel) {
        if (tunnel != null) {
            counts[tunnel.ordinal()]++;
            sum++;
        }
    }

    /** Adds what another has counted. */
    public void add(ShutTunnels more) {
        for (int i = 0; i < counts.length && more.sum > 0; i++) {
            counts[i] += more.counts[i];
        }
        sum += more.sum;
    }

    void clear() {
        if (sum > 0) {
            Arrays.fill(counts, 0);
            sum = 0;
        }
    }

    /** Packets of all kinds. */
    public long sum() {
        return sum;
    }

    /** Packets by the label of their tunnel, of those kinds that there are. */
    public Map<String, Long> byLabel() {
        Map<String, Long> labels = new LinkedHashMap<>();
        for (Tunnel tunnel : Tunnel.values()) {
            if (counts[tunnel.ordinal()] > 0) {
                labels.put(tunnel.label(), counts[tunnel.ordinal()]);
            }
        }
        return labels;
    }

    /** One line for a person; only where there are some. */
    public String describe() {
        return describe(byLabel());
    }

    /** The same of packets by the label of their tunnel. */
    public static String describe(Map<String, Long> byLabel) {
        long packets = byLabel.values().stream().mapToLong(Long::longValue).sum();
        return "%s with the header around a tunnel that stays shut: %s"
                .formatted(
                        Amount.of(packets, "packet"),
                        byLabel.entrySet().stream()
                                .map(e -> "%s %,d".formatted(e.getKey(), e.getValue()))
                                .collect(Collectors.joining(", ")));
    }
}
