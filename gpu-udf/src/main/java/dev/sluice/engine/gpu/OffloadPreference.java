package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an {@link OffloadMode} that the user fixed; {@link Crossover} measures the rest.
 *
 * @param launch null: measured
 * @param transfer null: measured
 * @param streams 0: measured
 * @param batchesALaunch 0: measured
 * @param from fewest headers of a batch that goes to the device; 0: measured
 */
public record OffloadPreference(
        @Nullable LaunchMode launch,
        @Nullable Transfer transfer,
        int streams,
        int batchesALaunch,
        int from)
        implements Serializable {
    /** Everything is measured. */
    public static final OffloadPreference AUTO = new OffloadPreference(null, null, 0, 0, 0);

    /**
     * Reads an option.
     *
     * @param text auto, or some of on-demand, asynchronous, persistent; copy, mapped; streams=N;
     *     gather=N; from=N, separated by commas
     * @throws IllegalArgumentException if it is none of these, or they do not go together
     */
    public static OffloadPreference parse(String text) {
        OffloadPreference preference = AUTO;
        for (String part : text.strip().toLowerCase(Locale.ROOT).split(",", -1)) {
            preference = preference.and(part.strip(), text);
        }
        // What is asked for must fit some choice of what is left to measurement. The choice below
        // goes with most: if it does not fit, none does, and this throws.
        OffloadMode tolerant = new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.MAPPED, 1, 1);
        preference.orElse(tolerant);
        return preference;
    }

    private OffloadPreference and(String part, String text) {
        if (part.equals("auto")) {
            return this;
        }
        for (LaunchMode mode : LaunchMode.values()) {
            if (part.equals(OffloadMode.label(mode))) {
                return new OffloadPreference(mode, transfer, streams, batchesALaunch, from);
            }
        }
        for (Transfer one : Transfer.values()) {
            if (part.equals(OffloadMode.label(one))) {
                return new OffloadPreference(launch, one, streams, batchesALaunch, from);
            }
        }
        if (part.matches("streams=\\d{1,3}")) {
            return new OffloadPreference(launch, transfer, number(part), batchesALaunch, from);
        }
        if (part.matches("gather=\\d{1,3}")) {
            return new OffloadPreference(launch, transfer, streams, number(part), from);
        }
        if (part.matches("from=\\d{1,7}")) {
            return new OffloadPreference(launch, transfer, streams, batchesALaunch, number(part));
        }
        throw new IllegalArgumentException(
                "'"
                        + text
                        + "' is no offload mode; write auto, or some of on-demand, asynchronous, persistent; "
                        + "copy, mapped; streams=N; gather=N; from=N, as in persistent,mapped");
    }

    /** The number behind '=', at least 1. */
    private static int number(String part) {
        return Math.max(1, Integer.parseInt(part.substring(part.indexOf('=') + 1)));
    }

    /**
     * The offload mode that is asked for, with the parts of another where nothing is; but a kernel
     * that stays reads mapped memory, whatever the other does.
     */
    public OffloadMode orElse(OffloadMode other) {
        LaunchMode launched = launch == null ? other.launch() : launch;
        Transfer otherwise = launched == LaunchMode.PERSISTENT ? Transfer.MAPPED : other.transfer();
        return new OffloadMode(
                launched,
                transfer == null ? otherwise : transfer,
                streams == 0 ? other.streams() : streams,
                batchesALaunch == 0 ? other.batchesALaunch() : batchesALaunch);
    }

    /** Returns whether something is left to measurement. */
    public boolean leavesSomething() {
        return launch == null
                || transfer == null
                || streams == 0
                || batchesALaunch == 0
                || from == 0;
    }

    /**
     * The same with nothing left to measurement: {@link OffloadMode#PLAIN} where nothing is asked
     * for, and every batch goes to the device.
     */
    public OffloadPreference decided() {
        OffloadMode mode = orElse(OffloadMode.PLAIN);
        return new OffloadPreference(
                mode.launch(),
                mode.transfer(),
                mode.streams(),
                mode.batchesALaunch(),
                Math.max(1, from));
    }

    /** Returns whether an offload mode is one that was asked for. */
    boolean allows(OffloadMode mode) {
        return (launch == null || launch == mode.launch())
                && (transfer == null || transfer == mode.transfer())
                && (streams == 0 || streams == mode.streams())
                && (batchesALaunch == 0 || batchesALaunch == mode.batchesALaunch());
    }

    /** Numbers of streams to try. */
    List<Integer> streamsToTry() {
        return streams != 0 ? List.of(streams) : List.of(1, 4, OffloadMode.MOST_STREAMS);
    }

    /** Numbers of batches a launch to try. */
    List<Integer> batchesALaunchToTry() {
        return batchesALaunch != 0 ? List.of(batchesALaunch) : OffloadMode.BATCHES_A_LAUNCH;
    }
}
