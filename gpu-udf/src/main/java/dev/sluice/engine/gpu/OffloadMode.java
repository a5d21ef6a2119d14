package dev.sluice.engine.gpu;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How batches go to a device and verdicts come back.
 *
 * @param launch how the kernel comes to a batch
 * @param transfer how the words travel; {@link LaunchMode#PERSISTENT} reads mapped memory alone
 * @param streams streams that launches are spread over, at least 1
 * @param gather batches of several instances that one launch takes together: 1, 2, 4 or 8
 */
public record OffloadMode(LaunchMode launch, Transfer transfer, int streams, int gather) {
    static final List<Integer> GATHERS = List.of(1, 2, 4, 8);

    /** Launches for each batch, with copies, a stream for each of up to 16 batches. */
    public static final OffloadMode PLAIN =
            new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.COPY, GpuPool.SLOTS, 1);

    /** Checks the parts. */
    public OffloadMode {
        if (launch == LaunchMode.PERSISTENT && transfer == Transfer.COPY) {
            throw new IllegalArgumentException(
                    "a kernel that stays reads mapped memory: write persistent,mapped");
        }
        if (streams < 1 || streams > GpuPool.SLOTS) {
            throw new IllegalArgumentException(
                    streams + " streams: there may be 1 to " + GpuPool.SLOTS);
        }
        if (!GATHERS.contains(gather)) {
            throw new IllegalArgumentException(
                    "a launch gathers 1, 2, 4 or 8 batches, not " + gather);
        }
    }

    /** The same with a launch for each batch, for kernels that have no form that stays. */
    public OffloadMode launched() {
        return launch == LaunchMode.PERSISTENT
                ? new OffloadMode(LaunchMode.ASYNCHRONOUS, transfer, streams, gather)
                : this;
    }

    /** As options write it. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "%s,%s,streams=%d,gather=%d",
                label(launch),
                label(transfer),
                streams,
                gather);
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * What of a hand-over is asked for; the rest is measured.
     *
     * @param launch null: measured
     * @param transfer null: measured
     * @param streams 0: measured
     * @param gather 0: measured
     * @param from fewest headers of a batch that goes to the device; 0: measured
     */
    public record Wish(
            @Nullable LaunchMode launch,
            @Nullable Transfer transfer,
            int streams,
            int gather,
            int from)
            implements Serializable {
        /** Everything is measured. */
        public static final Wish AUTO = new Wish(null, null, 0, 0, 0);

        /**
         * Reads an option.
         *
         * @param text auto, or some of on-demand, asynchronous, persistent; copy, mapped;
         *     streams=N; gather=N; from=N, separated by commas
         * @throws IllegalArgumentException if it is none of these, or they do not go together
         */
        public static Wish parse(String text) {
            Wish wish = AUTO;
            for (String part : text.strip().toLowerCase(Locale.ROOT).split(",", -1)) {
                wish = wish.and(part.strip(), text);
            }
            // Whatever is left to measurement, some choice of it has to fit.
            new OffloadMode(
                    wish.launch == null ? LaunchMode.ASYNCHRONOUS : wish.launch,
                    wish.transfer == null ? Transfer.MAPPED : wish.transfer,
                    wish.streams == 0 ? 1 : wish.streams,
                    wish.gather == 0 ? 1 : wish.gather);
            return wish;
        }

        private Wish and(String part, String text) {
            if (part.equals("auto")) {
                return this;
            }
            for (LaunchMode mode : LaunchMode.values()) {
                if (part.equals(label(mode))) {
                    return new Wish(mode, transfer, streams, gather, from);
                }
            }
            for (Transfer way : Transfer.values()) {
                if (part.equals(label(way))) {
                    return new Wish(launch, way, streams, gather, from);
                }
            }
            if (part.matches("streams=\\d{1,3}")) {
                return new Wish(launch, transfer, Math.max(1, number(part)), gather, from);
            }
            if (part.matches("gather=\\d{1,3}")) {
                return new Wish(launch, transfer, streams, Math.max(1, number(part)), from);
            }
            if (part.matches("from=\\d{1,7}")) {
                return new Wish(launch, transfer, streams, gather, Math.max(1, number(part)));
            }
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is no hand-over; write auto, or some of on-demand, asynchronous, persistent; "
                            + "copy, mapped; streams=N; gather=N; from=N, as in persistent,mapped");
        }

        private static int number(String part) {
            return Integer.parseInt(part.substring(part.indexOf('=') + 1));
        }

        /** The hand-over that is asked for, with the parts of another where nothing is. */
        public OffloadMode orElse(OffloadMode other) {
            return new OffloadMode(
                    launch == null ? other.launch : launch,
                    transfer == null ? other.transfer : transfer,
                    streams == 0 ? other.streams : streams,
                    gather == 0 ? other.gather : gather);
        }

        /** Whether a hand-over is one that was asked for. */
        boolean allows(OffloadMode way) {
            return (launch == null || launch == way.launch)
                    && (transfer == null || transfer == way.transfer)
                    && (streams == 0 || streams == way.streams)
                    && (gather == 0 || gather == way.gather);
        }

        /** Numbers of streams to try. */
        List<Integer> streamsToTry() {
            return streams != 0 ? List.of(streams) : List.of(1, 4, GpuPool.SLOTS);
        }

        /** Numbers of batches a launch to try. */
        List<Integer> gathersToTry() {
            return gather != 0 ? List.of(gather) : GATHERS;
        }
    }
}
