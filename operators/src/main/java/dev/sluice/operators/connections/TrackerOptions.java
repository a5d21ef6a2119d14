package dev.sluice.operators.connections;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Settings of a connection tracker.
 *
 * @param model whose connection tracking it is
 * @param loose whether an ACK begins a TCP connection, as {@code nf_conntrack_tcp_loose} says
 * @param windows whether TCP segments outside of their window are invalid, as with {@code
 *     nf_conntrack_tcp_be_liberal=0}; false: sequence numbers are not looked at
 * @param doubtsPickedUp whether the state is unknown of packets whose connection began with an ACK
 * @param connectionsMax largest number of connections, IPv4 and IPv6 together, expired ones that
 *     still lie in memory included
 * @param seed of the hash; senders who do not know it cannot choose connections that collide. Below
 *     the largest number no state depends on it
 * @param seconds timeouts in seconds; the model's default for one that is absent
 * @param reevaluates whether rules that changed judge open connections anew
 */
public record TrackerOptions(
        Model model,
        boolean loose,
        boolean windows,
        boolean doubtsPickedUp,
        int connectionsMax,
        long seed,
        Map<ConnectionTimeout, Long> seconds,
        boolean reevaluates)
        implements Serializable {
    /** Tracker that is modelled. */
    public enum Model {
        /** Linux's nf_conntrack. */
        LINUX,
        /** Security groups of AWS, as far as AWS tells how they track. */
        AWS
    }

    /** {@code nf_conntrack_max} of a host with 4 GiB of memory or more. */
    public static final int DEFAULT_CONNECTIONS_MAX = 262_144;

    /** The seed of this process; nobody outside knows it. */
    private static final long BY_CHANCE = new SecureRandom().nextLong();

    /** Linux's defaults, with a seed that everybody knows. */
    public static final TrackerOptions LINUX = new TrackerOptions(Model.LINUX, false);

    /** The defaults of AWS: a connection that begins in the middle is doubted. */
    public static final TrackerOptions AWS = new TrackerOptions(Model.AWS, true);

    private TrackerOptions(Model model, boolean doubtsPickedUp) {
        this(
                model,
                true,
                false,
                doubtsPickedUp,
                DEFAULT_CONNECTIONS_MAX,
                0x5ca1ab1e5eedL,
                Map.of(),
                false);
    }

    /**
     * Makes settings.
     *
     * @throws IllegalArgumentException if a number is less than 1, a timeout is more than 68 years,
     *     or windows are of AWS, which does not tell of them
     */
    public TrackerOptions {
        seconds = Map.copyOf(seconds);
        if (connectionsMax < 1) {
            throw new IllegalArgumentException(
                    "at most %d connections are none; allow 1 or more".formatted(connectionsMax));
        }
        if (windows && model == Model.AWS) {
            throw new IllegalArgumentException("AWS has no windows; leave them out");
        }
        seconds.forEach(
                (timeout, value) -> {
                    if (value < 1 || value > Integer.MAX_VALUE) {
                        throw new IllegalArgumentException(
                                "%s is %d s; give 1 to %d"
                                        .formatted(timeout.label(), value, Integer.MAX_VALUE));
                    }
                });
    }

    public TrackerOptions withLoose(boolean value) {
        return with(value, windows, doubtsPickedUp, connectionsMax, seed, seconds, reevaluates);
    }

    public TrackerOptions withWindows(boolean value) {
        return with(loose, value, doubtsPickedUp, connectionsMax, seed, seconds, reevaluates);
    }

    public TrackerOptions withDoubtsPickedUp(boolean value) {
        return with(loose, windows, value, connectionsMax, seed, seconds, reevaluates);
    }

    public TrackerOptions withConnectionsMax(int value) {
        return with(loose, windows, doubtsPickedUp, value, seed, seconds, reevaluates);
    }

    /** The same with the seed of this process, which is to be kept with the tracker's images. */
    public TrackerOptions withSeedByChance() {
        return withSeed(BY_CHANCE);
    }

    public TrackerOptions withSeed(long value) {
        return with(loose, windows, doubtsPickedUp, connectionsMax, value, seconds, reevaluates);
    }

    public TrackerOptions withSeconds(ConnectionTimeout timeout, long value) {
        return withSeconds(Map.of(timeout, value));
    }

    /** The same with these timeouts in place of their own. */
    public TrackerOptions withSeconds(Map<ConnectionTimeout, Long> values) {
        Map<ConnectionTimeout, Long> more = new TreeMap<>(seconds);
        more.putAll(values);
        return with(loose, windows, doubtsPickedUp, connectionsMax, seed, more, reevaluates);
    }

    public TrackerOptions withReevaluates(boolean value) {
        return with(loose, windows, doubtsPickedUp, connectionsMax, seed, seconds, value);
    }

    private TrackerOptions with(
            boolean picksUp,
            boolean checksWindows,
            boolean doubts,
            int most,
            long hashSeed,
            Map<ConnectionTimeout, Long> timeouts,
            boolean anew) {
        return new TrackerOptions(
                model, picksUp, checksWindows, doubts, most, hashSeed, timeouts, anew);
    }

    /** Returns the timeouts in nanoseconds, by their ordinal. */
    long[] nanos() {
        long[] nanos = new long[ConnectionTimeout.values().length];
        for (ConnectionTimeout timeout : ConnectionTimeout.values()) {
            long value = seconds.getOrDefault(timeout, (long) timeout.defaultSeconds());
            nanos[timeout.ordinal()] = TimeUnit.SECONDS.toNanos(value);
        }
        return nanos;
    }
}
