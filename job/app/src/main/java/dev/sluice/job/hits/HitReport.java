package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.hits.HitRow.Standing;
import dev.sluice.operators.statistics.RuleSums;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Report that joins rules and their hits.
 *
 * <p>It has a row for each rule in force, hit or not, one for the default action, and one for each
 * rule that was hit but is no longer in force.
 */
public final class HitReport {
    /** Order of the rows of a window, or of all rows; equal rows are ordered by line. */
    public enum Order {
        /** Most packets first. */
        PACKETS,
        /** Most bytes first. */
        BYTES,
        /** Most recent hit first, never hit last. */
        LAST,
        /** Ascending line in the rule file. */
        LINE
    }

    private static final Comparator<HitRow> BY_LINE =
            Comparator.comparing(HitRow::standing)
                    .thenComparingInt(row -> row.line() == 0 ? Integer.MAX_VALUE : row.line())
                    .thenComparing(HitRow::ruleId, Comparator.nullsLast(Comparator.naturalOrder()));

    private final KnownRules rules;
    private final Map<Long, Rule> inForce = new HashMap<>();

    /** Creates a report on rules. */
    public HitReport(KnownRules rules) {
        this.rules = rules;
        rules.inForce().rules().forEach(rule -> inForce.put(rule.id(), rule));
    }

    private static Comparator<HitRow> rows(Order order) {
        ToLongFunction<HitRow> most =
                switch (order) {
                    case PACKETS -> HitRow::packets;
                    case BYTES -> HitRow::bytes;
                    case LAST -> HitRow::lastNs;
                    case LINE -> row -> 0;
                };
        return Comparator.comparingLong(HitReport::windowStart)
                .thenComparing(Comparator.comparingLong(most).reversed())
                .thenComparing(BY_LINE);
    }

    private static long windowStart(HitRow row) {
        RuleStatistics hits = row.hits();
        return hits == null || hits.windowNs() == 0 ? Column.NO_TIME : hits.windowStartNs();
    }

    /**
     * Returns the rows of totals.
     *
     * @param statistics at most one of each rule
     */
    public List<HitRow> totals(List<RuleStatistics> statistics, Order order) {
        Map<@Nullable Long, RuleStatistics> hits = new HashMap<>();
        statistics.forEach(s -> hits.put(s.ruleId(), s));
        List<HitRow> rows = new ArrayList<>();
        for (Rule rule : rules.inForce().rules()) {
            rows.add(row(rule.id(), hits.remove(rule.id())));
        }
        leaveOutUnclear(rows);
        rows.add(row(null, hits.remove(null)));
        hits.forEach((id, some) -> rows.add(row(id, some)));
        rows.sort(rows(order));
        return rows;
    }

    /**
     * Leaves out what no packet depended on, and says of no rule that nothing hit it where packets
     * depended on it.
     */
    private static void leaveOutUnclear(List<HitRow> rows) {
        Set<Integer> lines = new HashSet<>();
        rows.removeIf(row -> isUnclear(row) && row.hits() == null);
        rows.stream().filter(HitReport::isUnclear).forEach(row -> lines.add(row.line()));
        rows.removeIf(row -> row.hits() == null && lines.contains(row.line()));
    }

    private static boolean isUnclear(HitRow row) {
        return row.rule() != null && row.rule().isDepends();
    }

    /** Returns the rows of windows: the rules that were hit in each, their parts summed up. */
    public List<HitRow> windows(List<RuleStatistics> statistics, Order order) {
        Map<String, RuleStatistics> whole = new TreeMap<>();
        for (RuleStatistics s : statistics) {
            whole.merge(
                    s.ruleId() + "/" + s.windowNs() + "/" + s.windowStartNs(), s, RuleSums::plus);
        }
        List<HitRow> rows = new ArrayList<>();
        whole.values().forEach(s -> rows.add(row(s.ruleId(), s)));
        rows.sort(rows(order));
        return rows;
    }

    private HitRow row(@Nullable Long id, @Nullable RuleStatistics hits) {
        if (id == null) {
            String action = rules.inForce().defaultAction();
            return new HitRow(
                    Standing.DEFAULT, null, null, "default action: " + action, action, hits);
        }
        Rule rule = inForce.get(id);
        Standing standing = rule == null ? Standing.REMOVED : Standing.IN_FORCE;
        if (rule == null) {
            rule = rules.removed().get(id);
        }
        return rule == null
                ? new HitRow(standing, null, id, "rule " + id, "", hits)
                : new HitRow(standing, rule, id, words(rule), rule.action(), hits);
    }

    private static String words(Rule rule) {
        String action = rule.action().isEmpty() ? "" : ": " + rule.action();
        return rule.text().isEmpty() ? "priority " + rule.priority() + action : rule.text();
    }

    /** Returns the number of rules in force. */
    public long size() {
        return inForce.values().stream().filter(rule -> !rule.isDepends()).count();
    }

    /** Counts the rules in force that these statistics do not contain. */
    public long neverHit(List<RuleStatistics> statistics) {
        return totals(statistics, Order.LINE).stream().filter(HitRow::isNeverHit).count();
    }
}
