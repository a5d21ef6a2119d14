package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.VerdictOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Receiver of the packets of a replay, in capture order, and of connections. Times are in ns since
 * 1970 UTC.
 */
public interface ReplayedPackets {
    /**
     * Takes a packet with its verdict.
     *
     * @param rule null: none matched
     * @param outcome by a policy; NONE: rules stand for themselves
     * @param assumed assumption that a policy judges under; empty: none
     * @param header its words, as far as verdicts carry them; to be kept
     * @param length bytes on the wire
     */
    void judged(
            @Nullable Rule rule,
            VerdictOutcome outcome,
            String assumed,
            int[] header,
            int length,
            long timeNs);

    /** Takes a packet for which no rules were in force. */
    void unjudged(long timeNs);

    /** Takes a packet that cannot be classified. */
    void deadLetter(long timeNs);

    /** Takes the only row of a connection, in no order. */
    void connection(Connection row);
}
