package dev.sluice.job.verify;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.TableColumn;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.logs.LogFinding;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;
import java.util.stream.Collectors;

/** Findings of a check of a log as rows, one a line of the log. */
public final class FindingTable {
    private static final int LONGEST_PACKET = 70;
    private static final int LONGEST_REASON = 50;

    /** Form of the rows. */
    public static final RowForm<Row> FORM =
            new RowForm<>(
                    columns(LONGEST_PACKET, LONGEST_REASON),
                    columns(Integer.MAX_VALUE, Integer.MAX_VALUE),
                    FindingTable::fields);

    private FindingTable() {}

    /**
     * Row.
     *
     * @param line line of the log, or packet of the capture
     * @param packet the packet in words
     */
    public record Row(long line, LogFinding finding, String packet) {
        String outcome() {
            FlatPolicy.Answer ours = finding.ours();
            return ours == null ? "" : ours.outcome().label();
        }

        String decides() {
            FlatPolicy.Answer ours = finding.ours();
            return ours == null ? "" : String.valueOf(ours.rule().origin().line());
        }

        String rule() {
            FlatPolicy.Answer ours = finding.ours();
            return ours == null ? "" : ours.rule().origin().text().strip();
        }

        String logged() {
            return finding.rules().stream()
                    .map(rule -> String.valueOf(rule.origin().line()))
                    .collect(Collectors.joining(","));
        }
    }

    private static List<TableColumn<Row>> columns(int packet, int reason) {
        return List.of(
                TableColumn.of("finding", row -> row.finding.kind().label()),
                TableColumn.of("log line", row -> String.valueOf(row.line)),
                TableColumn.of("logged by", Row::logged),
                TableColumn.of("hook", row -> row.finding.hook()),
                TableColumn.of("outcome", Row::outcome),
                TableColumn.of("line", Row::decides),
                new TableColumn<>("packet", packet, Row::packet),
                new TableColumn<>("reason", reason, row -> row.finding.reason()),
                TableColumn.of("rule", Row::rule));
    }

    private static ObjectNode fields(Row row) {
        LogFinding finding = row.finding;
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("finding", finding.kind().label());
        fields.put("log_line", row.line);
        ArrayNode logged = fields.putArray("logged_by");
        for (PolicyRule rule : finding.rules()) {
            logged.add(rule.origin().line());
        }
        fields.put("packet", row.packet);
        fields.put("hook", finding.hook());
        fields.put("reason", finding.reason());
        FlatPolicy.Answer ours = finding.ours();
        if (ours != null) {
            fields.put("outcome", ours.outcome().label());
            fields.put("file", ours.rule().origin().file());
            fields.put("line", Line.of(ours.rule()).known());
            fields.put("chain", ours.rule().origin().chain());
            fields.put("action", ours.rule().action());
            fields.put("rule", ours.rule().origin().text().strip());
        }
        return fields;
    }
}
