package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a replay found.
 *
 * @param packets packets of all captures
 * @param hits verdicts by rule, rules without one left out
 * @param misses packets that no rule of their version matched
 * @param marked packets by what marks their verdict; of these, late ones are among the hits and
 *     misses, too
 * @param refusedVersions versions of the rules that could not be served
 * @param defaultAction what applies where no rule matched, and where there were no rules
 * @param deadLetters packets that could not be classified, by reason
 * @param seconds from the first packet read to the last verdict received
 */
public record Summary(
        long packets,
        Map<Rule, Long> hits,
        long misses,
        Map<VerdictStatus, Long> marked,
        Set<Long> refusedVersions,
        String defaultAction,
        Map<String, Long> deadLetters,
        double seconds) {
    private static final int MOST_RULES = 25;

    /** Prints the summary. */
    public void print(PrintWriter out) {
        long classified = hits.values().stream().mapToLong(Long::longValue).sum();
        long dead = deadLetters.values().stream().mapToLong(Long::longValue).sum();
        out.printf("%,15d packets%n", packets);
        out.printf("%,15d matched a rule:%n", classified);
        List<Map.Entry<Rule, Long>> rules = new ArrayList<>(hits.entrySet());
        rules.sort(
                Map.Entry.<Rule, Long>comparingByValue()
                        .reversed()
                        .thenComparing(e -> e.getKey().line()));
        for (Map.Entry<Rule, Long> entry : rules.stream().limit(MOST_RULES).toList()) {
            Rule rule = entry.getKey();
            out.printf(
                    "%,15d   line %d, priority %d%s%n",
                    entry.getValue(),
                    rule.line(),
                    rule.priority(),
                    rule.action().isEmpty() ? "" : ": " + rule.action());
        }
        if (rules.size() > MOST_RULES) {
            long rest = rules.stream().skip(MOST_RULES).mapToLong(Map.Entry::getValue).sum();
            out.printf("%,15d   %,d more rules%n", rest, rules.size() - MOST_RULES);
        }
        out.printf("%,15d missed every rule: %s%n", misses, defaultAction);
        String first = refusedVersions.isEmpty() ? "" : " that could be served";
        count(
                out,
                VerdictStatus.NO_RULES,
                "older than the first version" + first + ": " + defaultAction);
        count(out, VerdictStatus.HISTORY_DELETED, "older than what is kept: " + defaultAction);
        count(out, VerdictStatus.LATE, "judged by the rules of a later time; counted above, too");
        for (long version : refusedVersions) {
            out.printf("%15s version %d of the rules was refused%n", "", version);
        }
        out.printf("%,15d dead letters%n", dead);
        deadLetters.entrySet().stream()
                .sorted(
                        Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                                .thenComparing(Map.Entry.comparingByKey()))
                .forEach(e -> out.printf("%,15d   %s%n", e.getValue(), e.getKey()));
        out.printf("%,15.0f packets/s%n", packets / Math.max(1e-9, seconds));
        out.flush();
    }

    private void count(PrintWriter out, VerdictStatus status, String meaning) {
        long count = marked.getOrDefault(status, 0L);
        if (count > 0) {
            out.printf("%,15d %s: %s%n", count, status.label(), meaning);
        }
    }
}
