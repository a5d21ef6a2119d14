package dev.sluice.engine.gpu.launch;

import java.util.List;
import java.util.Locale;

/**
 * How batches go to a device and verdicts come back.
 *
 * @param launch how the kernel comes to a batch
 * @param transfer how the words travel; {@link LaunchMode#PERSISTENT} reads mapped memory alone
 * @param streams streams that launches are spread over, 1 to {@link #MOST_STREAMS}
 * @param batchesALaunch batches of several instances that one launch takes together: 1, 2, 4 or 8
 */
public record OffloadMode(LaunchMode launch, Transfer transfer, int streams, int batchesALaunch) {
    /** Most streams: a device has so many staging buffers, and no batch needs more than one. */
    public static final int MOST_STREAMS = 16;

    /** Values that {@link #batchesALaunch} may have. */
    public static final List<Integer> BATCHES_A_LAUNCH = List.of(1, 2, 4, 8);

    /** Launches for each batch, with copies, a stream for each of up to 16 batches. */
    public static final OffloadMode PLAIN =
            new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.COPY, MOST_STREAMS, 1);

    /**
     * Checks that the parts go together.
     *
     * @throws IllegalArgumentException if they do not, with what to write instead
     */
    public OffloadMode {
        if (launch == LaunchMode.PERSISTENT && transfer == Transfer.COPY) {
            throw new IllegalArgumentException(
                    "a kernel that stays reads mapped memory: write persistent,mapped");
        }
        if (streams < 1 || streams > MOST_STREAMS) {
            throw new IllegalArgumentException(
                    streams + " streams: there may be 1 to " + MOST_STREAMS);
        }
        if (!BATCHES_A_LAUNCH.contains(batchesALaunch)) {
            throw new IllegalArgumentException(
                    "a launch takes 1, 2, 4 or 8 batches, not " + batchesALaunch);
        }
    }

    /** The same with a launch for each batch, for kernels that have no form that stays. */
    public OffloadMode launched() {
        return launch == LaunchMode.PERSISTENT
                ? new OffloadMode(LaunchMode.ASYNCHRONOUS, transfer, streams, batchesALaunch)
                : this;
    }

    /** The same with one batch a launch. */
    public OffloadMode alone() {
        return batchesALaunch == 1 ? this : new OffloadMode(launch, transfer, streams, 1);
    }

    /** As the option {@code --hand-over} writes it. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "%s,%s,streams=%d,gather=%d",
                label(launch),
                label(transfer),
                streams,
                batchesALaunch);
    }

    /** A launch mode or transfer as options write it. */
    public static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
