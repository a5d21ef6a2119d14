package dev.sluice.job.rules;

import dev.sluice.job.hits.HitPage;
import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageSection;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Page of the findings of lint, with the rows of {@link LintTable}. */
public final class LintPage {
    private final List<LintRule> rules;
    private final List<LintTable.Row> found;

    /** True if packets that hit the rules are known. */
    private final boolean hits;

    private final boolean chains;
    private final boolean files;

    private LintPage(LintFindings findings, boolean hits) {
        rules = findings.rules();
        found =
                findings.rows().stream()
                        .filter(row -> LintRule.Kind.labelled(row.finding()) != null)
                        .toList();
        this.hits = hits;
        List<Line> lines =
                Stream.concat(
                                rules.stream().map(LintRule::line),
                                found.stream().map(LintTable.Row::line))
                        .toList();
        chains = lines.stream().anyMatch(line -> !line.chain().isEmpty());
        files = lines.stream().map(Line::file).distinct().count() > 1;
    }

    /**
     * The page of findings.
     *
     * @param hits whether packets that hit the rules are known
     */
    public static Page of(String title, LintFindings findings, boolean hits) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("rules", (long) findings.rules().size());
        facts.put("live", findings.live());
        findings.counts().forEach((kind, count) -> facts.put(kind.label(), count));
        if (findings.accepted() > 0) {
            facts.put("accepted", findings.accepted());
        }
        LintPage page = new LintPage(findings, hits);
        return new Page(title, facts, List.of(page.findings(), page.rules()));
    }

    /** The section of findings alone, without packets that hit the rules. */
    static PageSection findings(LintFindings findings) {
        return new LintPage(findings, false).findings();
    }

    private PageSection findings() {
        List<PageColumn> columns = new ArrayList<>();
        columns.add(new PageColumn("finding", Kind.CHOICE));
        columns.addAll(place());
        columns.add(new PageColumn("by lines", Kind.LINE));
        columns.add(new PageColumn("packet", Kind.TEXT));
        columns.addAll(uses());
        if (hits) {
            columns.add(new PageColumn("wider", Kind.TEXT));
        }
        columns.add(new PageColumn("rule", Kind.RULE));
        PageSection section = new PageSection("findings", "Findings", columns);
        for (LintTable.Row row : found.subList(0, Math.min(PageSection.MOST_ROWS, found.size()))) {
            List<@Nullable Object> values = new ArrayList<>();
            values.add(row.finding());
            place(row.line(), values);
            values.add(row.by().stream().map(Line::label).collect(Collectors.joining(", ")));
            values.add(row.witness() + (row.doubtful() && !row.witness().isEmpty() ? " ?" : ""));
            use(row.use(), values);
            if (hits) {
                values.add(row.wider());
            }
            values.add(row.rule());
            section.row(values.toArray());
        }
        return section.note(
                "Findings as of sluice rules lint, each with the lines that it rests on and a packet that the rule wins."
                        + (found.size() <= PageSection.MOST_ROWS
                                ? ""
                                : " Of %,d findings the first %,d are here; sluice rules lint prints all."
                                        .formatted(found.size(), PageSection.MOST_ROWS)));
    }

    private PageSection rules() {
        Map<Line, String> kinds =
                found.stream()
                        .collect(
                                Collectors.toMap(
                                        LintTable.Row::line,
                                        LintTable.Row::finding,
                                        (one, other) -> one + ", " + other));
        List<PageColumn> columns = new ArrayList<>(place());
        columns.add(new PageColumn("rule", Kind.RULE));
        columns.add(new PageColumn("action", Kind.CHOICE));
        columns.add(new PageColumn("findings", Kind.CHOICES));
        columns.addAll(uses());
        PageSection section = new PageSection("rules", "Rules", columns);
        for (LintRule rule : rules) {
            List<@Nullable Object> values = new ArrayList<>();
            place(rule.line(), values);
            values.add(rule.line().text().strip());
            values.add(rule.line().action());
            values.add(kinds.getOrDefault(rule.line(), ""));
            use(rule.use(), values);
            section.row(values.toArray());
        }
        return section.note("All rules in the words of the rule file, and what was found of each.");
    }

    private List<PageColumn> place() {
        List<PageColumn> columns = new ArrayList<>();
        if (files) {
            columns.add(new PageColumn("file", Kind.CHOICE));
        }
        columns.add(new PageColumn("line", Kind.LINE));
        if (chains) {
            columns.add(new PageColumn("chain", Kind.CHOICE));
        }
        return columns;
    }

    private void place(Line line, List<@Nullable Object> values) {
        if (files) {
            values.add(line.file());
        }
        values.add(line.label());
        if (chains) {
            values.add(line.chain());
        }
    }

    private List<PageColumn> uses() {
        return hits
                ? List.of(
                        PageColumn.number("packets"),
                        new PageColumn("last hit", Kind.TIME),
                        new PageColumn("hits", Kind.CHOICE))
                : List.of();
    }

    private void use(@Nullable RuleUse use, List<@Nullable Object> values) {
        if (hits && use == null) {
            values.addAll(Arrays.asList(null, null, ""));
        } else if (hits && use != null) {
            boolean hit = use.packets() > 0;
            values.add(use.packets());
            values.add(hit ? HitPage.millis(use.lastNs()) : null);
            values.add(hit ? "hit" : use.doubtful() ? "may be hit" : "never hit");
        }
    }
}
