package dev.sluice.job.hits;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.hits.HitRow.Standing;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writer of rows of hits, as an aligned table and as JSON. */
public final class HitTable {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private static final long SECOND = 1_000_000_000L;

    private HitTable() {}

    /**
     * Prints a table, with times in UTC.
     *
     * @param windows whether the first column is the start of a window
     */
    public static void print(PrintWriter out, List<HitRow> rows, boolean windows) {
        out.print(windows ? "%-24s ".formatted("window") : "");
        out.printf(
                "%15s %19s  %-24s  %-24s  %-13s %7s  %s%n",
                "packets", "bytes", "first", "last", "versions", "line", "rule");
        for (HitRow row : rows) {
            RuleStatistics hits = row.hits();
            String first = hits == null ? "never" : time(hits.firstNs());
            String last = hits == null ? "never" : time(hits.lastNs());
            String removed = row.standing() == Standing.REMOVED ? "(removed) " : "";
            String start = hits == null ? "" : time(hits.windowStartNs());
            out.print(windows ? "%-24s ".formatted(start) : "");
            out.printf(
                    "%,15d %,19d  %-24s  %-24s  %-13s %7s  %s%n",
                    row.packets(),
                    row.bytes(),
                    first,
                    last,
                    versions(hits),
                    row.lines(),
                    removed + row.words());
        }
        out.flush();
    }

    private static String versions(@Nullable RuleStatistics hits) {
        if (hits == null) {
            return "-";
        }
        return hits.fromVersion() == hits.toVersion()
                ? String.valueOf(hits.fromVersion())
                : hits.fromVersion() + "-" + hits.toVersion();
    }

    private static String time(long ns) {
        return ns == Column.NO_TIME
                ? "-"
                : TIME.format(
                        Instant.ofEpochSecond(
                                Math.floorDiv(ns, SECOND), Math.floorMod(ns, SECOND)));
    }

    /** Prints each row as a line of JSON; times are in ns since 1970 UTC. */
    public static void printJson(PrintWriter out, List<HitRow> rows) {
        for (HitRow row : rows) {
            out.println(json(row));
        }
        out.flush();
    }

    /** Returns a row as a JSON object. */
    static ObjectNode json(HitRow row) {
        RuleStatistics hits = row.hits();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("standing", row.standing().name().toLowerCase(Locale.ROOT));
        object.put("rule_id", row.ruleId());
        object.put("line", row.line() == 0 ? null : Integer.valueOf(row.line()));
        object.put("priority", row.rule() == null ? null : Integer.valueOf(row.rule().priority()));
        object.put("rule", row.words());
        object.put("action", row.action());
        object.put("outcome", row.outcome());
        object.put("packets", row.packets());
        object.put("bytes", row.bytes());
        object.put("first_ns", hits == null ? null : orNull(hits.firstNs()));
        object.put("last_ns", orNull(row.lastNs()));
        object.put("from_version", hits == null ? null : Long.valueOf(hits.fromVersion()));
        object.put("to_version", hits == null ? null : Long.valueOf(hits.toVersion()));
        if (hits != null && hits.windowNs() != 0) {
            object.put("window_ns", hits.windowNs());
            object.put("window_start_ns", orNull(hits.windowStartNs()));
        }
        return object;
    }

    private static @Nullable Long orNull(long time) {
        return time == Column.NO_TIME ? null : Long.valueOf(time);
    }
}
