package dev.sluice.operators.connections;

/**
 * Counts of connections since their tracker was made.
 *
 * @param live connections in memory now, expired ones that still lie there included
 * @param created connections that were entered
 * @param pickedUp of those, TCP connections that began with an ACK
 * @param refused new connections whose first packet was not let through
 * @param evicted connections that were dropped for a new one at the largest number
 * @param full packets of new connections that found no connection to drop
 * @param doubtful of the connections that were entered, those whose first packet depends
 * @param answering packets that answer others
 * @param reevaluated connections that rules of a later version judged anew
 * @param endedByRules of those, connections that were refused so
 * @param untold packets whose header lacks what decides: TCP segments without sequence numbers,
 *     where windows are tracked, and SCTP packets without their chunks
 */
public record TrackerCounts(
        long live,
        long created,
        long pickedUp,
        long refused,
        long evicted,
        long full,
        long doubtful,
        long answering,
        long reevaluated,
        long endedByRules,
        long untold) {
    /** No counts. */
    public static final TrackerCounts NONE = new TrackerCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The sums of these and others. */
    public TrackerCounts plus(TrackerCounts other) {
        return new TrackerCounts(
                live + other.live,
                created + other.created,
                pickedUp + other.pickedUp,
                refused + other.refused,
                evicted + other.evicted,
                full + other.full,
                doubtful + other.doubtful,
                answering + other.answering,
                reevaluated + other.reevaluated,
                endedByRules + other.endedByRules,
                untold + other.untold);
    }

    /** These without others. */
    public TrackerCounts minus(TrackerCounts other) {
        return plus(
                new TrackerCounts(
                        -other.live,
                        -other.created,
                        -other.pickedUp,
                        -other.refused,
                        -other.evicted,
                        -other.full,
                        -other.doubtful,
                        -other.answering,
                        -other.reevaluated,
                        -other.endedByRules,
                        -other.untold));
    }
}
