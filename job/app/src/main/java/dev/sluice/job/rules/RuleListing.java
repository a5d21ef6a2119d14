package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules as rows. */
public final class RuleListing {

    /** Characters of an action that an aligned table shows. */
    private static final int LONGEST_ACTION = 30;

    /** Rows of rules. */
    public static final RowForm<Row> RULES = form(columns());

    /** Rows of what differs between two versions, behind their marks. */
    public static final RowForm<Row> DIFFERENCES = form(marked());

    private RuleListing() {}

    /**
     * A rule, or what befalls a packet that no rule matches.
     *
     * @param mark what became of it; empty: nothing is told
     * @param rule the rule; null: none
     * @param action its action, or the default action
     */
    public record Row(String mark, @Nullable Rule rule, String action) {
        /** A rule. */
        public static Row of(Rule rule) {
            return of("", rule);
        }

        /** A rule of which something became. */
        public static Row of(String mark, Rule rule) {
            return new Row(mark, rule, rule.action());
        }
    }

    private static RowForm<Row> form(List<TableColumn<Row>> columns) {
        return new RowForm<>(columns, columns, RuleListing::fields);
    }

    private static List<TableColumn<Row>> columns() {
        return List.of(
                TableColumn.of("id", row -> row.rule == null ? "" : String.valueOf(row.rule.id())),
                TableColumn.of("line", row -> line(row.rule)),
                TableColumn.of(
                        "priority",
                        row -> row.rule == null ? "" : String.valueOf(row.rule.priority())),
                new TableColumn<>("action", LONGEST_ACTION, Row::action),
                TableColumn.of("rule", row -> row.rule == null ? "(default)" : text(row.rule)));
    }

    private static List<TableColumn<Row>> marked() {
        List<TableColumn<Row>> columns = new ArrayList<>(columns());
        columns.add(0, TableColumn.of("change", Row::mark));
        return columns;
    }

    private static String line(@Nullable Rule rule) {
        return rule == null ? "" : rule.lines();
    }

    /** The rule in the words of its file; where they are not known, a remark. */
    public static String text(Rule rule) {
        return rule.text().isEmpty() ? "(published without its text)" : rule.text();
    }

    /**
     * How a default action differs from the one before, to be put behind other counts: empty if it
     * does not, else as in {@code , default action changes from allow to drop}.
     */
    public static String ofDefaultAction(String before, String after) {
        return before.equals(after)
                ? ""
                : ", default action changes from %s to %s".formatted(before, after);
    }

    private static ObjectNode fields(Row row) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        if (!row.mark.isEmpty()) {
            fields.put("change", row.mark);
        }
        Rule rule = row.rule;
        if (rule == null) {
            fields.put("defaultAction", row.action);
            return fields;
        }
        fields.put("id", rule.id());
        if (rule.line() != 0) {
            fields.put("line", rule.line());
        }
        fields.put("priority", rule.priority());
        fields.put("place", rule.place().toString());
        fields.put("action", rule.action());
        fields.put("text", rule.text());
        return fields;
    }
}
