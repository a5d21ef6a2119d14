package dev.sluice.operators.rules.history;

import dev.sluice.schemas.codec.VerdictStatus;
import java.util.Arrays;

/**
 * Cuts a block of packets into runs that one version judges.
 *
 * <p>Used for one block after the other, without allocation. Not thread-safe.
 */
public final class VersionRuns {
    private int[] starts = new int[16];
    private int[] indexes = new int[16];
    private int runs;
    private int packets;
    private byte[] statuses = new byte[0];
    private boolean plain;

    /**
     * Takes a block.
     *
     * @param times of the block's packets
     * @param count packets of the block
     */
    public void cut(PacketTimes times, int count, Timeline timeline) {
        if (statuses.length < count) {
            statuses = new byte[count];
        }
        runs = 0;
        packets = count;
        plain = true;
        int index = Integer.MIN_VALUE;
        long from = 0; // the present run's version is in force from here
        long to = 0; // until here
        for (int i = 0; i < count; i++) {
            long time = times.judgedNs(i);
            if (index == Integer.MIN_VALUE || time < from || time >= to) {
                int place = timeline.placeAt(time);
                int next = place < 0 ? place : timeline.index(place);
                from = place < 0 ? Long.MIN_VALUE : timeline.effectiveNs(place);
                to = timeline.nextChangeNs(place);
                if (next != index) {
                    add(i, next);
                    index = next;
                }
            }
            VerdictStatus status = status(index, times.isLate(i));
            statuses[i] = (byte) status.code();
            plain &= status == VerdictStatus.OK;
        }
    }

    /**
     * The status of a packet: what no rules could judge says so, late or not.
     *
     * @param index of the version that judges it, or one of the timeline's constants
     */
    public static VerdictStatus status(int index, boolean late) {
        return switch (index) {
            case Timeline.NO_RULES -> VerdictStatus.NO_RULES;
            case Timeline.HISTORY_DELETED -> VerdictStatus.HISTORY_DELETED;
            default -> late ? VerdictStatus.LATE : VerdictStatus.OK;
        };
    }

    private void add(int start, int index) {
        if (runs == starts.length) {
            starts = Arrays.copyOf(starts, 2 * runs);
            indexes = Arrays.copyOf(indexes, 2 * runs);
        }
        starts[runs] = start;
        indexes[runs++] = index;
    }

    /** Number of runs of the block: at least 1. */
    public int runs() {
        return runs;
    }

    /** First packet of a run. */
    public int start(int run) {
        return starts[run];
    }

    /** Packet behind the last of a run. */
    public int end(int run) {
        return run + 1 < runs ? starts[run + 1] : packets;
    }

    /** Index of a run's version, or one of the timeline's constants. */
    public int index(int run) {
        return indexes[run];
    }

    /** Tells whether every packet of the block has {@link VerdictStatus#OK}. */
    public boolean allOk() {
        return plain;
    }

    /** {@link VerdictStatus#code} of a packet. */
    public byte status(int packet) {
        return statuses[packet];
    }
}
