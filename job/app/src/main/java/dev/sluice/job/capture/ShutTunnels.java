package dev.sluice.job.capture;

import dev.sluice.policy.io.Amount;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts of packets whose tunnel was not decapsulated, by the kind of tunnel.
 *
 * <p>Such a tunnel is encrypted, has no IP, or has an unknown form. Its packets are classified by
 * the outer header. Not thread-safe.
 */
public final class ShutTunnels {
    private final long[] counts = new long[Tunnel.values().length];
    private long sum;

    /** Counts a packet; null: its tunnel was decapsulated, or it has none. */
    public void add(@Nullable Tunnel tunnel) {
        if (tunnel != null) {
            counts[tunnel.ordinal()]++;
            sum++;
        }
    }

    /** Adds the counts of another. */
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

    /** Returns the number of packets of all kinds. */
    public long sum() {
        return sum;
    }

    /** Returns the counts above 0 by the label of the tunnel. */
    public Map<String, Long> byLabel() {
        Map<String, Long> labels = new LinkedHashMap<>();
        for (Tunnel tunnel : Tunnel.values()) {
            if (counts[tunnel.ordinal()] > 0) {
                labels.put(tunnel.label(), counts[tunnel.ordinal()]);
            }
        }
        return labels;
    }

    /** Describes the counts in one line; only for counts above 0. */
    public String describe() {
        return describe(byLabel());
    }

    /** Describes counts by the label of the tunnel. */
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
