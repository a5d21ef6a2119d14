package dev.sluice.engine.lookup;

import dev.sluice.engine.lookup.Capabilities.Ranges;
import dev.sluice.engine.lookup.Capabilities.Updates;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The algorithms, by the names that {@code --algorithm} takes, and what each can do. */
public enum Algorithm {
    /** Chosen by the rule set's shape, the budget and a short calibration. */
    AUTO(0, true, Ranges.NATIVE, true, Updates.OVERLAY, 1 << 20),
    LINEAR(1, true, Ranges.NATIVE, true, Updates.OVERLAY, 1_000),
    TUPLE(2, true, Ranges.VERIFIED, true, Updates.IN_PLACE, 1 << 20),
    FOREST(3, true, Ranges.EXPANDED, true, Updates.OVERLAY, 1 << 20),
    MERGED_TUPLE(4, true, Ranges.VERIFIED, true, Updates.IN_PLACE, 1 << 20),
    BLOOM(5, true, Ranges.VERIFIED, true, Updates.IN_PLACE, 1 << 20),
    BITVECTOR(6, false, Ranges.NATIVE, true, Updates.OVERLAY, 50_000),
    RFC(7, true, Ranges.NATIVE, true, Updates.OVERLAY, 20_000),
    BITMAP_RFC(8, true, Ranges.NATIVE, true, Updates.OVERLAY, 20_000),
    HASH_TREE(9, true, Ranges.VERIFIED, true, Updates.IN_PLACE, 1 << 20),
    EXACT_FIRST(10, true, Ranges.NATIVE, true, Updates.IN_PLACE, 1 << 20),
    /** IPv4 in place, IPv6 behind an overlay. */
    ROUTES(11, false, Ranges.NONE, true, Updates.IN_PLACE, 1 << 20),
    MASK_FILTER(12, true, Ranges.VERIFIED, true, Updates.IN_PLACE, 1 << 20),
    /** Two longest-prefix matches name a cell; the class of all other fields picks its rule. */
    PAIRS(13, false, Ranges.NATIVE, true, Updates.OVERLAY, 1 << 20);

    private final int code;
    private final boolean anyMask;
    private final Ranges ranges;
    private final boolean ipv6;
    private final Updates updates;
    private final int sensibleRules;

    Algorithm(
            int code,
            boolean anyMask,
            Ranges ranges,
            boolean ipv6,
            Updates updates,
            int sensibleRules) {
        this.code = code;
        this.anyMask = anyMask;
        this.ranges = ranges;
        this.ipv6 = ipv6;
        this.updates = updates;
        this.sensibleRules = sensibleRules;
    }

    /** Number in an image's header. */
    public int code() {
        return code;
    }

    /** What rule sets it serves, and how it takes updates. */
    public Capabilities capabilities() {
        return new Capabilities(anyMask, ranges, ipv6, updates, sensibleRules);
    }

    /** The name that options take. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All names that options take, separated by commas. */
    public static String labels() {
        return Arrays.stream(values()).map(Algorithm::label).collect(Collectors.joining(", "));
    }

    /**
     * The algorithm of a name.
     *
     * @throws IllegalArgumentException naming those that there are
     */
    public static Algorithm of(String label) {
        for (Algorithm algorithm : values()) {
            if (algorithm.label().equals(label)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException(
                "no algorithm '%s'; there are %s".formatted(label, labels()));
    }

    /**
     * The algorithm of an image.
     *
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Algorithm ofCode(int code) {
        for (Algorithm algorithm : values()) {
            if (algorithm.code == code && algorithm != AUTO) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("no algorithm has the code " + code);
    }
}
