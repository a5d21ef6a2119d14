package dev.sluice.operators.statistics;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Hits of rules of one key group, in one message from a counting subtask to the adding one. A
 * message for each rule would cost both sides about a hundred times as much.
 *
 * @param history id of the rule history
 * @param groups number of key groups that the sender assumes
 * @param group number that names the group, see {@link HitGroups}
 * @param windowNs length of the windows; 0: the hits belong to none
 * @param rows the packed {@link HitRows}
 */
public record GroupedHits(String history, int groups, long group, long windowNs, byte[] rows) {
    /** Flink's type of these records. */
    public static final TypeInformation<GroupedHits> TYPE = Types.POJO(GroupedHits.class);

    /** Unpacks the hits. */
    public HitRows unpack() {
        return HitRows.unpack(history, windowNs, rows);
    }
}
