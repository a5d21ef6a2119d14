package dev.sluice.job.classify;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Amount;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitReport;
import dev.sluice.job.hits.HitRow;
import dev.sluice.job.hits.HitTable;
import dev.sluice.job.hits.KnownRules;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a policy did to captures: its rules in their own words with what hit them, and those that
 * nothing hit by their lines.
 *
 * @param rules the policy
 * @param hits what was counted
 * @param seconds from the first packet read to the last verdict written
 */
public record ClassifySummary(RuleSet rules, CaptureHits hits, double seconds) {
    private static final int MOST_RULES = 25;
    private static final int MOST_LINES = 20;

    /** Prints it. */
    public void print(PrintWriter out) {
        HitReport report = new HitReport(new KnownRules("", rules, Map.of()));
        List<HitRow> rows = report.totals(hits.take(), HitReport.Order.PACKETS);
        List<HitRow> hit = rows.stream().filter(row -> row.hits() != null).toList();
        List<HitRow> never =
                rows.stream()
                        .filter(row -> row.hits() == null)
                        .filter(row -> row.standing() == HitRow.Standing.IN_FORCE)
                        .toList();
        HitTable.print(out, hit.subList(0, Math.min(MOST_RULES, hit.size())), false);
        if (hit.size() > MOST_RULES) {
            out.printf("and %,d more; sluice rules hits lists all%n", hit.size() - MOST_RULES);
        }
        out.printf(
                "never hit: %,d of %s%s%n",
                never.size(), Amount.of(rules.rules().size(), "rule"), lines(never));
        long dead = hits.unclassified();
        out.printf("%s; %s%n", Amount.of(hits.packets(), "packet"), Amount.of(dead, "dead letter"));
        hits.deadLetters().forEach((reason, count) -> out.printf("%,15d %s%n", count, reason));
        out.printf("%,.0f packets/s%n", hits.packets() / Math.max(1e-9, seconds));
        out.flush();
    }

    private static String lines(List<HitRow> never) {
        if (never.isEmpty()) {
            return "";
        }
        return never.stream()
                .map(HitRow::line)
                .sorted()
                .limit(MOST_LINES)
                .map(String::valueOf)
                .collect(
                        Collectors.joining(
                                ", ",
                                never.size() == 1 ? ", line " : ", lines ",
                                never.size() > MOST_LINES
                                        ? ", ...; sluice rules hits --never lists all"
                                        : ""));
    }
}
