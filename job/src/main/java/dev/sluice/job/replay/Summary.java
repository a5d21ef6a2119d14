package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.graph.Outcomes;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a replay found.
 *
 * @param packets packets of all captures
 * @param hits verdicts by rule, rules without one left out
 * @param misses packets that no rule of their version matched
 * @param outcomes what became of packets beside that; late ones are among the hits and misses, too
 * @param seconds from the first packet read to the last verdict received
 */
public record Summary(
        long packets, Map<Rule, Long> hits, long misses, Outcomes outcomes, double seconds) {
    private static final int MOST_RULES = 25;

    /** Prints the summary. */
    public void print(PrintWriter out) {
        long classified = hits.values().stream().mapToLong(Long::longValue).sum();
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
        out.printf("%,15d missed every rule: %s%n", misses, outcomes.defaultAction());
        outcomes.printExceptions(out);
        out.printf("%,15.0f packets/s%n", packets / Math.max(1e-9, seconds));
        out.flush();
    }
}
