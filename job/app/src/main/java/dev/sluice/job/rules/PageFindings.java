package dev.sluice.job.rules;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.page.PageSection;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Findings of lint on a page about captures. */
public final class PageFindings {
    private final @Nullable LintFindings findings;
    private final String why;
    private final Map<Key, String> kinds = new HashMap<>();

    private record Key(int line, String text, String action) {}

    private PageFindings(@Nullable LintFindings findings, String why) {
        this.findings = findings;
        this.why = why;
        if (findings != null) {
            for (LintTable.Row row : findings.rows()) {
                Line line = row.line();
                kinds.merge(
                        new Key(line.number(), line.text().strip(), line.action()),
                        row.finding(),
                        (one, other) -> one + ", " + other);
            }
        }
    }

    /** Findings of the rules that judge the captures. */
    public static PageFindings of(LintFindings findings) {
        return new PageFindings(findings, "");
    }

    /**
     * None, since the rules were not linted.
     *
     * @param why a sentence for people
     */
    public static PageFindings none(String why) {
        return new PageFindings(null, why);
    }

    /** Tells whether the rules were linted. */
    public boolean areKnown() {
        return findings != null;
    }

    /** The findings of a rule, separated by commas. */
    public String of(Rule rule) {
        return kinds.getOrDefault(new Key(rule.line(), rule.text().strip(), rule.action()), "");
    }

    /** The section of the findings. */
    public PageSection section() {
        LintFindings known =
                findings == null ? new LintFindings(List.of(), List.of(), 0) : findings;
        PageSection section = LintPage.findings(known);
        return findings == null ? section.note(why) : section;
    }
}
