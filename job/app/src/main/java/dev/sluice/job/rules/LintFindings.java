package dev.sluice.job.rules;

import dev.sluice.policy.io.Amount;
import dev.sluice.policy.questions.LintReport;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Findings of lint without those that a file accepts.
 *
 * @param rules the rules, in the order of the file
 * @param rows what is told, in the order of the file: findings, and rules without one where these
 *     are asked for
 * @param accepted number of findings that are accepted
 */
public record LintFindings(List<LintRule> rules, List<LintTable.Row> rows, long accepted) {
    /**
     * The findings of a report.
     *
     * @param live whether rules without a finding have a row, too
     */
    public static LintFindings of(LintReport report, boolean live, AcceptedFindings known) {
        List<LintTable.Row> rows = new ArrayList<>();
        long accepted = 0;
        for (LintTable.Row row : LintTable.rows(report, live)) {
            if (Kind.labelled(row.finding()) != null && known.accepts(row)) {
                accepted++;
            } else {
                rows.add(row);
            }
        }
        return new LintFindings(report.rules(), rows, accepted);
    }

    /** Number of rules that some packet reaches. */
    long live() {
        return rules.stream().filter(rule -> rule.reach() == Reach.LIVE).count();
    }

    /** Numbers of findings by kind, the graver kinds first. */
    Map<Kind, Long> counts() {
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        for (LintTable.Row row : rows) {
            Kind kind = Kind.labelled(row.finding());
            if (kind != null) {
                counts.merge(kind, 1L, Long::sum);
            }
        }
        return counts;
    }

    /** Returns whether there is a finding of one of some kinds. */
    public boolean haveOneOf(Collection<Kind> kinds) {
        return counts().keySet().stream().anyMatch(kinds::contains);
    }

    /** A sentence for people. */
    public String describe() {
        String findings =
                counts().entrySet().stream()
                        .map(count -> "%,d %s".formatted(count.getValue(), count.getKey().label()))
                        .collect(Collectors.joining(", "));
        return "%s, %,d live; %s%s"
                .formatted(
                        Amount.of(rules.size(), "rule"),
                        live(),
                        findings.isEmpty() ? "no finding" : findings,
                        accepted == 0 ? "" : "; %,d accepted".formatted(accepted));
    }
}
