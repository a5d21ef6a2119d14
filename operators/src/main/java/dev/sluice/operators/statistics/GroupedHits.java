package dev.sluice.operators.statistics;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Hits of rules of one key group: what travels from a subtask that counts to the one that adds up.
 * A message a rule would cost both some hundred times what a rule's row costs.
 *
 * @param history id of the rule history
 * @param groups how many key groups the sender takes for all
 * @param group number that names the group, see {@link HitGroups}
 * @param windowNs length of the windows; 0: the hits belong to none
 * @param rows the {@link HitRows}, packed
 */
public record GroupedHits(String history, int groups, long group, long windowNs, byte[] rows) {
    /** Flink's type of these records. */
    public static final TypeInformation<GroupedHits> TYPE = Types.POJO(GroupedHits.class);

    /** The hits. */
    public HitRows unpack() {
        return HitRows.unpack(history, windowNs, rows);
    }
}
