package dev.sluice.job.verify;

import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.logs.LogFinding;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Page of a check of a log, with the rows of {@link FindingTable}. Used once, by one thread. */
public final class CheckPage {
    private final Map<Origin, Uses> rules = new LinkedHashMap<>();
    private final PageSection findings =
            new PageSection(
                    "findings",
                    "Findings",
                    List.of(
                            new PageColumn("finding", Kind.CHOICE),
                            PageColumn.number("log line"),
                            new PageColumn("logged by", Kind.LINE),
                            new PageColumn("hook", Kind.CHOICE),
                            new PageColumn("outcome", Kind.CHOICE),
                            new PageColumn("line", Kind.LINE),
                            new PageColumn("packet", Kind.TEXT),
                            new PageColumn("reason", Kind.TEXT),
                            new PageColumn("rule", Kind.RULE)));
    private long rows;

    /** Logged packets of a rule. */
    private static final class Uses {
        private final String action;
        private long logged;
        private long differences;

        Uses(String action) {
            this.action = action;
        }
    }

    /** A page of the rules of policies, without a finding. */
    public CheckPage(List<Policy> policies) {
        for (Policy policy : policies) {
            for (Stage stage : policy.stages()) {
                stage.chains().values().stream().flatMap(List::stream).forEach(this::add);
            }
        }
    }

    private void add(PolicyRule rule) {
        rules.putIfAbsent(rule.origin(), new Uses(rule.action()));
    }

    /** Takes each row that is printed, too, and goes on where nobody reads what is printed. */
    public RowsOut<FindingTable.Row> beside(RowsOut<FindingTable.Row> printed) {
        return new RowsOut<>() {
            private boolean isRead = true;

            @Override
            public boolean row(FindingTable.Row row) {
                isRead = isRead && printed.row(row);
                if (rows++ < PageSection.MOST_ROWS) {
                    findings.row(
                            row.finding().kind().label(),
                            row.line(),
                            row.logged(),
                            row.finding().hook(),
                            row.outcome(),
                            row.decides(),
                            row.packet(),
                            row.finding().reason(),
                            row.rule());
                }
                return true;
            }

            @Override
            public boolean flush() {
                return printed.flush();
            }
        };
    }

    /** Counts a packet for the rules that may have logged it. */
    public void count(LogFinding finding) {
        for (PolicyRule rule : finding.rules()) {
            Uses uses = rules.get(rule.origin());
            if (uses != null) {
                uses.logged++;
                uses.differences += finding.kind().isDifference() ? 1 : 0;
            }
        }
    }

    /** The page of a check that has been run. */
    public Page page(String title, LogCheck check) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("logged packets", check.packets());
        check.counts().forEach((kind, count) -> facts.put(kind.label(), count));
        facts.put("cannot be judged", check.packets() - check.judged());
        findings.note(
                "Logged packets and what the policy says about them; logged by: the rules with the prefix of the log, line: the rule that decides."
                        + (rows <= PageSection.MOST_ROWS
                                ? ""
                                : " Of %,d rows the first %,d are here; sluice verify prints all."
                                        .formatted(rows, PageSection.MOST_ROWS)));
        return new Page(title, facts, List.of(findings, rules(), unread(check)));
    }

    private PageSection rules() {
        boolean files = rules.keySet().stream().map(Origin::file).distinct().count() > 1;
        List<PageColumn> columns = new ArrayList<>();
        if (files) {
            columns.add(new PageColumn("file", Kind.CHOICE));
        }
        columns.add(new PageColumn("line", Kind.LINE));
        columns.add(new PageColumn("chain", Kind.CHOICE));
        columns.add(new PageColumn("rule", Kind.RULE));
        columns.add(new PageColumn("action", Kind.CHOICE));
        columns.add(PageColumn.number("logged"));
        columns.add(PageColumn.number("differences"));
        PageSection section = new PageSection("rules", "Rules", columns);
        rules.entrySet().stream()
                .sorted(
                        Map.Entry.comparingByKey(
                                Comparator.comparing(Origin::file)
                                        .thenComparing(Origin::line)
                                        .thenComparing(Origin::chain)))
                .forEach(
                        rule -> {
                            List<Object> row = new ArrayList<>();
                            Origin of = rule.getKey();
                            if (files) {
                                row.add(of.file());
                            }
                            row.add(of.line() == 0 ? "default" : String.valueOf(of.line()));
                            row.add(of.chain());
                            row.add(of.text().strip());
                            row.add(rule.getValue().action);
                            row.add(rule.getValue().logged);
                            row.add(rule.getValue().differences);
                            section.row(row.toArray());
                        });
        return section.note(
                "All rules in the words of the rule file, with the packets that were logged with their prefixes. A packet counts for each rule with its prefix.");
    }

    private static PageSection unread(LogCheck check) {
        PageSection section =
                new PageSection(
                        "dead-letters",
                        "Dead letters",
                        List.of(
                                new PageColumn("reason", Kind.TEXT),
                                PageColumn.number("packets"),
                                PageColumn.number("first log line")));
        check.unread().forEach((reason, of) -> section.row(reason, of.packets(), of.firstLine()));
        return section.note("Logged packets that cannot be judged.");
    }
}
