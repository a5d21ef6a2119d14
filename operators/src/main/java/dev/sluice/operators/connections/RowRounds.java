package dev.sluice.operators.connections;

import java.util.List;

/**
 * Rounds through the pages of a tracker with rows: each page is looked at once an interval of
 * packet time, a few pages at a time. A page's turn follows from its number, so that a restored
 * tracker goes on with the round.
 */
final class RowRounds {
    private final List<ConnectionTable> tables;

    /** Time up to which pages had their turn. */
    private long done;

    /**
     * Rounds from a time on.
     *
     * @param refused tables of refused connections
     * @param time of the tracker; {@link Long#MIN_VALUE}: it had no packet
     */
    RowRounds(
            ConnectionTable ipv4, ConnectionTable ipv6, List<ConnectionTable> refused, long time) {
        tables = List.of(ipv4, ipv6, refused.get(0), refused.get(1));
        done = time;
    }

    /** Hands on the rows of all connections. */
    void handAll(long now) {
        tables.forEach(table -> table.handAll(now));
    }

    /**
     * Hands on the rows of the pages whose turn has come. A row goes where its connection had a
     * packet within two intervals, as a page of a growing table may be passed over once.
     *
     * @param interval in nanoseconds; 0: all pages, and all rows
     */
    void advance(long now, long interval) {
        if (done == Long.MIN_VALUE) {
            done = now;
        }
        long past = now - done;
        if (past <= 0 && interval > 0) {
            return;
        }
        double from = interval == 0 ? 0 : (double) Math.floorMod(done, interval) / interval;
        double to = interval == 0 || past >= interval ? from + 1 : from + (double) past / interval;
        long since = interval == 0 ? Long.MIN_VALUE : now - 2 * interval;
        for (ConnectionTable table : tables) {
            int pages = table.pageCount();
            int first = (int) (from * pages);
            table.handActive(first, (int) (Math.min(to, 1) * pages), now, since);
            table.handActive(0, to > 1 ? Math.min(first, (int) ((to - 1) * pages)) : 0, now, since);
        }
        done = now;
    }
}
