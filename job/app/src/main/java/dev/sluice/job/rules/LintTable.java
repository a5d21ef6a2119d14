package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.EscapedText;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Findings of lint as rows, one a line and finding. */
public final class LintTable {
    private static final int MOST_LINES = 6;
    private static final int LONGEST_PACKET = 70;

    /** Form of the rows. */
    public static final RowForm<Row> FORM =
            new RowForm<>(columns(MOST_LINES), columns(Integer.MAX_VALUE), LintTable::fields);

    private LintTable() {}

    /**
     * Row.
     *
     * @param finding label of a {@link Kind}, or the word of rules without one
     * @param by the lines that the finding rests on
     * @param witness a packet that the rule wins, in words, or empty
     * @param doubtful whether something that no header tells may keep packets from the rule
     * @param minimal whether none of the lines can be left out
     */
    public record Row(
            Line line,
            String finding,
            List<Line> by,
            String witness,
            boolean doubtful,
            boolean minimal) {
        /** The line of a file of accepted findings that accepts this one, as tables write cells. */
        public String acceptance() {
            return finding + "\t" + EscapedText.cell(line.text().strip());
        }
    }

    /**
     * The rows of a report, in the order of the file.
     *
     * @param live whether rules without a finding have a row, too
     */
    public static List<Row> rows(LintReport report, boolean live) {
        List<Row> rows = new ArrayList<>();
        for (LintRule rule : report.rules()) {
            Set<Kind> kinds = rule.kinds();
            for (Kind kind : kinds) {
                rows.add(row(rule, kind.label(), by(rule, kind)));
            }
            if (live && kinds.isEmpty()) {
                rows.add(row(rule, "live", List.of()));
            }
        }
        for (Line line : report.unusedChains()) {
            rows.add(new Row(line, Kind.UNUSED_CHAIN.label(), List.of(), "", false, true));
        }
        return rows;
    }

    private static Row row(LintRule rule, String finding, List<Line> by) {
        return new Row(rule.line(), finding, by, rule.witness(), rule.doubtful(), rule.minimal());
    }

    private static List<Line> by(LintRule rule, Kind kind) {
        Line conflict = rule.conflict();
        return switch (kind) {
            case DEAD, SHADOWED_DEFAULT -> rule.covering();
            case REDUNDANT -> rule.behind();
            case CONFLICT -> conflict == null ? List.of() : List.of(conflict);
            default -> List.of();
        };
    }

    private static List<TableColumn<Row>> columns(int most) {
        return List.of(
                TableColumn.of("finding", row -> row.finding),
                TableColumn.of("line", row -> row.line.label()),
                TableColumn.of("chain", row -> row.line.chain()),
                TableColumn.of("by lines", row -> lines(row, most)),
                new TableColumn<>(
                        "packet",
                        most == MOST_LINES ? LONGEST_PACKET : Integer.MAX_VALUE,
                        row -> row.witness + (row.doubtful && !row.witness.isEmpty() ? " ?" : "")),
                TableColumn.of("rule", row -> row.line.text().strip()));
    }

    private static String lines(Row row, int most) {
        String first =
                row.by.stream().limit(most).map(Line::label).collect(Collectors.joining(","));
        return row.by.size() <= most ? first : first + ",+" + (row.by.size() - most);
    }

    private static ObjectNode fields(Row row) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("finding", row.finding);
        fields.put("file", row.line.file());
        fields.put("line", row.line.number());
        fields.put("chain", row.line.chain());
        fields.put("action", row.line.action());
        fields.put("rule", row.line.text().strip());
        ArrayNode by = fields.putArray("by");
        row.by.forEach(line -> by.add(line.number()));
        fields.put("minimal", row.minimal);
        fields.put("packet", row.witness);
        fields.put("doubtful", row.doubtful);
        return fields;
    }
}
