package dev.sluice.job.report;

import dev.sluice.job.hits.HitPage;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.read.PacketText;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Section of a page: the longest connections, the largest ones, and the refused ones with most
 * packets. Keeps as many of each as {@link #MOST}. Not thread-safe.
 */
final class TopConnections implements Consumer<Connection> {
    /** Most connections of each kind. */
    static final int MOST = 1_000;

    private static final String LIVE = "live";

    private final Top longest = new Top(TopConnections::millis);
    private final Top largest = new Top(TopConnections::bytes);
    private final Top refused = new Top(row -> row.sent().packets());
    private final boolean again;
    private long rows;
    private long ended;

    /**
     * None.
     *
     * @param again whether connections that go on have several rows, of which the last counts
     */
    TopConnections(boolean again) {
        this.again = again;
    }

    /** Connections with the largest values. */
    private static final class Top {
        private final ToLongFunction<Connection> value;
        private final PriorityQueue<Connection> kept;
        private final Map<ByteBuffer, Connection> byKey = new HashMap<>();

        Top(ToLongFunction<Connection> value) {
            this.value = value;
            kept = new PriorityQueue<>(Comparator.comparingLong(value));
        }

        void add(Connection row, @Nullable ByteBuffer key) {
            Connection before = key == null ? null : byKey.remove(key);
            if (before != null) {
                kept.remove(before);
            }
            if (kept.size() < MOST) {
                add(key, row);
            } else if (value.applyAsLong(row) > value.applyAsLong(kept.element())) {
                Connection least = kept.remove();
                if (key != null) {
                    byKey.remove(ByteBuffer.wrap(least.key()));
                }
                add(key, row);
            }
        }

        private void add(@Nullable ByteBuffer key, Connection row) {
            kept.add(row);
            if (key != null) {
                byKey.put(key, row);
            }
        }
    }

    private static long millis(Connection row) {
        return row.firstNs() == Column.NO_TIME ? 0 : (row.lastNs() - row.firstNs()) / 1_000_000;
    }

    private static long bytes(Connection row) {
        return row.sent().bytes() + row.answered().bytes();
    }

    @Override
    public void accept(Connection row) {
        rows++;
        ended += row.end().equals(LIVE) ? 0 : 1;
        ByteBuffer key = again ? ByteBuffer.wrap(row.key()) : null;
        longest.add(row, key);
        largest.add(row, key);
        if (row.refusedPacket() != null) {
            refused.add(row, key);
        }
    }

    /** Tells whether there was no row. */
    boolean isEmpty() {
        return rows == 0;
    }

    /** Number of rows of connections that had ended. */
    long ended() {
        return ended;
    }

    /**
     * The section.
     *
     * @param words about all connections, without the end of a sentence
     */
    PageSection section(String words) {
        Set<Connection> shown = Collections.newSetFromMap(new IdentityHashMap<>());
        List.of(longest, largest, refused).forEach(top -> shown.addAll(top.kept));
        List<Connection> sorted = new ArrayList<>(shown);
        sorted.sort(
                Comparator.comparingLong(TopConnections::bytes)
                        .reversed()
                        .thenComparingLong(Connection::firstNs)
                        .thenComparing(row -> ByteBuffer.wrap(row.key())));
        PageSection section =
                new PageSection(
                        "connections",
                        "Connections",
                        List.of(
                                new PageColumn("source", Kind.TEXT),
                                new PageColumn("source port", Kind.TEXT),
                                new PageColumn("destination", Kind.TEXT),
                                new PageColumn("service", Kind.TEXT),
                                new PageColumn("outcome", Kind.CHOICE),
                                new PageColumn("line", Kind.LINE),
                                new PageColumn("rule", Kind.RULE),
                                PageColumn.number("packets"),
                                PageColumn.number("bytes"),
                                PageColumn.number("reply packets"),
                                PageColumn.number("reply bytes"),
                                PageColumn.number("ms"),
                                new PageColumn("first", Kind.TIME),
                                new PageColumn("last", Kind.TIME),
                                new PageColumn("state", Kind.CHOICE),
                                new PageColumn("end", Kind.CHOICE),
                                new PageColumn("refused", Kind.CHOICE),
                                PageColumn.number("refused packet")));
        sorted.forEach(row -> section.row(cells(row)));
        return section.note(
                words
                        + (sorted.size() == rows
                                ? ". All are here, with the verdict on the first packet."
                                : ". Of %,d rows those of the %2$,d longest and the %2$,d largest connections are here, and of the refused ones the %2$,d with most packets; classify --connections writes all."
                                        .formatted(rows, MOST)));
    }

    private static @Nullable Object[] cells(Connection row) {
        Connection.Opening by = row.opening();
        Connection.Ends ends = row.ends();
        Integer port = ends.sourcePort();
        return new @Nullable Object[] {
            address(ends.source()),
            port == null || ends.icmpId() != null ? "" : port.toString(),
            address(ends.destination()),
            Service.words(Service.code(ends.protocol(), port, ends.destinationPort())),
            by.outcome().label(),
            by.line() == null ? "default" : by.line().toString(),
            by.text().isEmpty() ? by.action() : by.text().strip(),
            row.sent().packets(),
            row.sent().bytes(),
            row.answered().packets(),
            row.answered().bytes(),
            millis(row),
            HitPage.millis(row.firstNs()),
            HitPage.millis(row.lastNs()),
            row.state(),
            row.end(),
            row.refusedPacket() == null ? "let through" : "refused",
            row.refusedPacket()
        };
    }

    private static String address(byte[] bytes) {
        return PacketText.text(PacketField.IP_SRC, ByteBuffer.wrap(bytes));
    }
}
