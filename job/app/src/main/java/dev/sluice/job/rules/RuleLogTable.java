package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ruletopic.RuleLogEntry;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The log of a rules topic as rows. */
public final class RuleLogTable {
    private static final int SHORT_HISTORY = 8;
    private static final int LONGEST_PUBLISHER = 20;

    /** Form of the rows. */
    public static final RowForm<Row> FORM = new RowForm<>(table(), tsv(), RuleLogTable::fields);

    private RuleLogTable() {}

    /**
     * A row.
     *
     * @param defaultBefore default action of the version before; the entry's own where there is
     *     none
     * @param refused who refuses it, and why; empty if nobody does
     */
    public record Row(RuleLogEntry entry, String defaultBefore, List<String> refused) {}

    private static List<TableColumn<Row>> table() {
        return List.of(
                ofTransaction("version", e -> String.valueOf(e.version())),
                ofTransaction("kind", RuleLogTable::kind),
                ofTransaction("put", e -> String.valueOf(e.puts())),
                ofTransaction("removed", e -> String.valueOf(e.removes())),
                of("committed", e -> seconds(e.commitTimeNs())),
                of("in force from", e -> isOfCommit(e) ? "" : seconds(e.inForceNs())),
                new TableColumn<>("publisher", LONGEST_PUBLISHER, row -> row.entry.publisher()),
                TableColumn.of(
                        "rule set, or why it is refused",
                        row -> row.refused.isEmpty() ? ruleSet(row) : refused(row)));
    }

    private static List<TableColumn<Row>> tsv() {
        return List.of(
                ofTransaction("version", e -> String.valueOf(e.version())),
                ofTransaction("kind", RuleLogTable::kind),
                ofTransaction("put", e -> String.valueOf(e.puts())),
                ofTransaction("removed", e -> String.valueOf(e.removes())),
                of("in force from", e -> isNone(e.inForceNs()) ? "" : time(e.inForceNs())),
                of("committed", e -> time(e.commitTimeNs())),
                of("publisher", RuleLogEntry::publisher),
                of("bytes", e -> e.bytes() == 0 ? "" : String.valueOf(e.bytes())),
                of("offset", e -> e.offset() < 0 ? "" : String.valueOf(e.offset())),
                of("history", e -> shortened(e.history())),
                of("rule set", RuleLogEntry::ruleSet),
                TableColumn.of("refusal", RuleLogTable::refused),
                ofTransaction("default action", RuleLogEntry::defaultAction));
    }

    private static String ruleSet(Row row) {
        RuleLogEntry entry = row.entry;
        return entry.ruleSet()
                + RuleListing.ofDefaultAction(row.defaultBefore, entry.defaultAction());
    }

    private static TableColumn<Row> of(String name, Function<RuleLogEntry, String> cell) {
        return TableColumn.of(name, row -> cell.apply(row.entry));
    }

    private static TableColumn<Row> ofTransaction(
            String name, Function<RuleLogEntry, String> cell) {
        return of(name, e -> e.isTransaction() ? cell.apply(e) : "");
    }

    private static String kind(RuleLogEntry entry) {
        return entry.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String refused(Row row) {
        return String.join("; ", row.refused);
    }

    private static String shortened(String history) {
        return history.substring(0, Math.min(SHORT_HISTORY, history.length()));
    }

    private static boolean isNone(long ns) {
        return ns == EffectiveTimes.NONE;
    }

    /** Tells whether it is in force from its commit on, or never. */
    private static boolean isOfCommit(RuleLogEntry entry) {
        return isNone(entry.inForceNs()) || entry.inForceNs() == entry.commitTimeNs();
    }

    private static ObjectNode fields(Row row) {
        RuleLogEntry e = row.entry;
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        if (e.isTransaction()) {
            fields.put("version", e.version());
            fields.put("kind", kind(e));
            fields.put("base", e.base());
            fields.put("puts", e.puts());
            fields.put("removes", e.removes());
            fields.put("effective", optionalTime(e.effectiveTimeNs()));
            fields.put("inForceFrom", optionalTime(e.inForceNs()));
        }
        fields.put("committed", time(e.commitTimeNs()));
        if (e.isTransaction()) {
            fields.put("publisher", e.publisher());
        }
        if (e.offset() >= 0) {
            fields.put("bytes", e.bytes());
            fields.put("offset", e.offset());
        }
        if (e.isTransaction()) {
            fields.put("history", e.history());
            fields.put("ruleSet", e.ruleSet());
            fields.put("defaultAction", e.defaultAction());
        }
        fields.putPOJO("refused", row.refused);
        return fields;
    }

    private static @Nullable String optionalTime(@Nullable Long ns) {
        return ns == null || isNone(ns) ? null : time(ns);
    }

    private static String time(long ns) {
        return Instant.EPOCH.plus(ns, ChronoUnit.NANOS).toString();
    }

    private static String seconds(long ns) {
        return Instant.EPOCH.plus(ns, ChronoUnit.NANOS).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
