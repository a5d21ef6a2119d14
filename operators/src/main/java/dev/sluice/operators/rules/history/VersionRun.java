package dev.sluice.operators.rules.history;

import dev.sluice.schemas.codec.VerdictStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets of a block in a row that one version judges.
 *
 * @param end packet behind the last of the run
 * @param index of the version, or one of the timeline's constants
 */
public record VersionRun(int end, int index) {
    /**
     * Cuts a block into runs, at least one.
     *
     * @param times of the block's packets
     * @param count packets of the block
     */
    public static List<VersionRun> cut(PacketTimes times, int count, Timeline timeline) {
        List<VersionRun> runs = new ArrayList<>();
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
                if (next != index && i > 0) {
                    runs.add(new VersionRun(i, index));
                }
                index = next;
            }
        }
        runs.add(new VersionRun(count, index));
        return runs;
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
}
