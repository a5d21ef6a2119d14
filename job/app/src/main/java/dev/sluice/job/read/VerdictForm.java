package dev.sluice.job.read;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.read.VerdictRow.EarlierRule;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictStatus;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Row forms of verdicts: aligned table, tab-separated values and JSON.
 *
 * <p>Cells of unknown values are empty; JSON omits them. The aligned table omits columns for
 * programs: name of the capture, year, rule id, priority, rule history, and the status of ordinary
 * verdicts. Times are in UTC.
 */
public final class VerdictForm {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int LONGEST_ACTION = 16;

    private VerdictForm() {}

    /**
     * Returns the form of rows.
     *
     * @param columns fields of packets that are columns
     * @param inJson fields of packets that JSON contains where they are known
     */
    public static RowForm<VerdictRow> of(List<PacketField> columns, List<PacketField> inJson) {
        return new RowForm<>(table(columns), tsv(columns), row -> json(row, inJson));
    }

    private static List<TableColumn<VerdictRow>> table(List<PacketField> fields) {
        List<TableColumn<VerdictRow>> columns = new ArrayList<>();
        columns.add(packet());
        columns.add(time("time", ns -> TIME.format(Instant.EPOCH.plusNanos(ns))));
        columns.add(new TableColumn<>("action", LONGEST_ACTION, VerdictRow::action));
        columns.add(rule("line", RuleFacts::line));
        columns.add(earlier());
        columns.add(version());
        columns.add(
                TableColumn.of(
                        "status",
                        row -> row.status() == VerdictStatus.OK ? "" : row.status().label()));
        fields.forEach(field -> columns.add(field(heading(field), field)));
        columns.add(rule("rule", RuleFacts::text));
        return columns;
    }

    private static List<TableColumn<VerdictRow>> tsv(List<PacketField> fields) {
        List<TableColumn<VerdictRow>> columns = new ArrayList<>();
        columns.add(TableColumn.of("capture", VerdictRow::capture));
        columns.add(packet());
        columns.add(time("time_ns", String::valueOf));
        columns.add(TableColumn.of("rule_id", row -> text(row.ruleId())));
        columns.add(rule("rule", RuleFacts::line));
        columns.add(rule("priority", RuleFacts::priority));
        columns.add(TableColumn.of("action", VerdictRow::action));
        columns.add(version());
        columns.add(TableColumn.of("status", row -> row.status().label()));
        fields.forEach(field -> columns.add(field(field.label().replace('-', '_'), field)));
        columns.add(rule("text", RuleFacts::text));
        columns.add(TableColumn.of("history", VerdictRow::history)); // last, as it came later
        columns.add(earlier()); // which came later still
        columns.add(TableColumn.of("outcome", row -> row.outcome().label()));
        columns.add(TableColumn.of("assumed", VerdictRow::assumed));
        return columns;
    }

    private static TableColumn<VerdictRow> packet() {
        return TableColumn.of("packet", row -> String.valueOf(row.packet()));
    }

    private static TableColumn<VerdictRow> time(String name, Function<Long, String> words) {
        return TableColumn.of(name, row -> row.hasTime() ? words.apply(row.timeNs()) : "");
    }

    private static TableColumn<VerdictRow> version() {
        return TableColumn.of("version", row -> String.valueOf(row.version()));
    }

    private static TableColumn<VerdictRow> rule(
            String name, Function<RuleFacts, @Nullable Object> fact) {
        return TableColumn.of(name, row -> text(fact.apply(row.rule())));
    }

    /** Returns the lines of the rules that let a packet pass before. */
    private static TableColumn<VerdictRow> earlier() {
        return TableColumn.of(
                "earlier",
                row ->
                        row.earlier().stream()
                                .map(passed -> text(passed.rule().line()))
                                .collect(Collectors.joining(",")));
    }

    private static TableColumn<VerdictRow> field(String name, PacketField field) {
        return TableColumn.of(
                name,
                row -> {
                    Object value = row.fields().get(field);
                    return value == null ? "" : PacketText.text(field, value);
                });
    }

    /** Returns a short heading of a field. */
    private static String heading(PacketField field) {
        return switch (field.key()) {
            case "ipProto" -> "proto";
            case "srcPort" -> "sport";
            case "dstPort" -> "dport";
            case "frameLength" -> "length";
            default -> field.label();
        };
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** Puts a value that is known. */
    private static void put(ObjectNode object, String name, @Nullable Object value) {
        if (value != null && !value.equals("")) {
            object.putPOJO(name, value);
        }
    }

    private static ObjectNode json(EarlierRule passed) {
        RuleFacts rule = passed.rule();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("ruleId", passed.ruleId());
        put(object, "line", rule.line());
        put(object, "action", rule.action());
        put(object, "text", rule.text());
        return object;
    }

    private static ObjectNode json(VerdictRow row, List<PacketField> fields) {
        RuleFacts rule = row.rule();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("capture", row.capture());
        object.put("packet", row.packet());
        put(object, "timeNs", row.hasTime() ? row.timeNs() : null);
        put(object, "ruleId", row.ruleId());
        put(object, "line", rule.line());
        put(object, "priority", rule.priority());
        put(object, "action", row.action());
        object.put("version", row.version());
        put(object, "history", row.history());
        object.put("status", row.status().label());
        for (PacketField field : fields) {
            Object value = row.fields().get(field);
            put(object, field.key(), value == null ? null : PacketText.node(field, value));
        }
        put(object, "text", rule.text());
        put(object, "outcome", row.outcome().label());
        put(object, "assumed", row.assumed());
        if (!row.earlier().isEmpty()) {
            object.putPOJO("earlier", row.earlier().stream().map(VerdictForm::json).toList());
        }
        return object;
    }
}
