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
import dev.sluice.policy.questions.RuleUse;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Findings of lint as rows, one a line and finding. */
public final class LintTable {
    private static final int MOST_LINES = 6;
    private static final int LONGEST_PACKET = 70;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private LintTable() {}

    /**
     * Form of the rows.
     *
     * @param hits whether packets that hit the rules are known
     */
    public static RowForm<Row> form(boolean hits) {
        return new RowForm<>(
                columns(MOST_LINES, hits), columns(Integer.MAX_VALUE, hits), LintTable::fields);
    }

    /**
     * Row.
     *
     * @param rule the line's text; of a line with several actions, as a verdict map, the row's
     *     action behind it
     * @param finding label of a {@link Kind}, or the word of rules without one
     * @param by the lines that the finding rests on
     * @param witness a packet that the rule wins, in words, or empty
     * @param doubtful whether something that no header tells may keep packets from the rule
     * @param minimal whether none of the lines can be left out
     * @param use the packets that hit the rule; null: not known
     * @param wider the fields of which it takes more than they had, in words; empty: none
     */
    public record Row(
            Line line,
            String rule,
            String finding,
            List<Line> by,
            String witness,
            boolean doubtful,
            boolean minimal,
            @Nullable RuleUse use,
            String wider) {
        /** The line of a file of accepted findings that accepts this one, as tables write cells. */
        public String acceptance() {
            return finding + "\t" + EscapedText.cell(rule);
        }
    }

    /**
     * The rows of a report, in the order of the file.
     *
     * @param live whether rules without a finding have a row, too
     */
    public static List<Row> rows(LintReport report, boolean live) {
        List<Row> rows = new ArrayList<>();
        Map<Line, Long> actions =
                report.rules().stream()
                        .collect(
                                Collectors.groupingBy(
                                        of -> bare(of.line()), Collectors.counting()));
        for (LintRule rule : report.rules()) {
            Line line = rule.line();
            String text = line.text().strip();
            String words =
                    actions.getOrDefault(bare(line), 0L) > 1
                            ? "%s (%s)".formatted(text, line.action())
                            : text;
            Set<Kind> kinds = rule.kinds();
            for (Kind kind : kinds) {
                rows.add(row(rule, words, kind.label(), by(rule, kind)));
            }
            if (live && kinds.isEmpty()) {
                rows.add(row(rule, words, "live", List.of()));
            }
        }
        report.unusedChains().forEach(line -> rows.add(unused(line, Kind.UNUSED_CHAIN)));
        report.unusedObjects().forEach(line -> rows.add(unused(line, Kind.UNUSED_OBJECT)));
        return rows;
    }

    /** A line without its action. */
    private static Line bare(Line of) {
        return new Line(of.file(), of.number(), of.chain(), "", of.text());
    }

    private static Row unused(Line line, Kind kind) {
        String text = line.text().strip();
        return new Row(line, text, kind.label(), List.of(), "", false, true, null, "");
    }

    private static Row row(LintRule rule, String words, String finding, List<Line> by) {
        return new Row(
                rule.line(),
                words,
                finding,
                by,
                rule.witness(),
                rule.doubtful(),
                rule.minimal(),
                rule.use(),
                rule.wider());
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

    private static List<TableColumn<Row>> columns(int most, boolean hits) {
        int longest = most == MOST_LINES ? LONGEST_PACKET : Integer.MAX_VALUE;
        List<TableColumn<Row>> columns = new ArrayList<>(columns(most));
        if (hits) {
            columns.add(4, TableColumn.of("packets", row -> packets(row.use)));
            columns.add(5, TableColumn.of("last hit", row -> last(row.use)));
            columns.add(6, new TableColumn<>("wider", longest, row -> row.wider));
        }
        return columns;
    }

    private static String packets(@Nullable RuleUse use) {
        return use == null ? "" : use.packets() + (use.doubtful() ? " ?" : "");
    }

    private static String last(@Nullable RuleUse use) {
        return use == null || use.packets() == 0
                ? ""
                : TIME.format(Instant.EPOCH.plusNanos(use.lastNs()));
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
                TableColumn.of("rule", row -> row.rule));
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
        fields.put("line", row.line.known());
        fields.put("chain", row.line.chain());
        fields.put("action", row.line.action());
        fields.put("rule", row.line.text().strip());
        ArrayNode by = fields.putArray("by");
        row.by.forEach(line -> by.add(line.known()));
        fields.put("minimal", row.minimal);
        fields.put("packet", row.witness);
        fields.put("doubtful", row.doubtful);
        RuleUse use = row.use;
        fields.put("packets", use == null ? null : use.packets());
        fields.put("may_be_hit", use != null && use.doubtful());
        fields.put("last_ns", use == null || use.packets() == 0 ? null : use.lastNs());
        fields.put("wider", row.wider);
        return fields;
    }
}
