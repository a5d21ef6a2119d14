package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.page.PageColumn;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.job.page.PageFigure;
import dev.sluice.job.page.PageSection;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counter of packets by time and outcome: the outcome of a policy, or the action where rules stand
 * for themselves. Actions beyond {@link #MOST_ACTIONS}, those of the fewest rules, are one series.
 */
final class OutcomeSeries {
    private static final int MOST_BUCKETS = 2000;
    private static final int MOST_ACTIONS = 6;
    private static final String OTHERS = "other actions";
    private static final String UNJUDGED = "no rules";
    private static final String DEAD = "dead letter";

    private static final List<String> OUTCOMES =
            Stream.of(VerdictOutcome.values()).map(VerdictOutcome::label).toList();

    private final boolean policy;
    private final String miss;
    private final List<String> names;
    private final TimeBuckets buckets;

    /**
     * Counts of 0.
     *
     * @param policy whether rules are those of policies
     * @param defaultAction of rules that stand for themselves
     * @param all rules that decide about packets
     */
    OutcomeSeries(boolean policy, String defaultAction, List<Rule> all) {
        this.policy = policy;
        miss = policy ? VerdictOutcome.NOT_JUDGED.label() : defaultAction;
        Map<String, Integer> rules = new LinkedHashMap<>();
        rules.put(miss, Integer.MAX_VALUE / 2); // a series of its own, however few rules say it
        all.forEach(rule -> rules.merge(name(rule), 1, Integer::sum));
        names = new ArrayList<>(rules.keySet());
        names.sort(
                Comparator.comparing(
                        name -> policy ? OUTCOMES.indexOf(name) : -rules.getOrDefault(name, 0)));
        if (names.size() > MOST_ACTIONS) {
            names.subList(MOST_ACTIONS - 1, names.size()).clear();
            names.add(OTHERS);
        }
        names.add(UNJUDGED);
        names.add(DEAD);
        buckets = new TimeBuckets(names.size(), MOST_BUCKETS);
    }

    /** Counts of 0 of series that {@link #named} finds. */
    OutcomeSeries() {
        policy = false;
        miss = "";
        names = new ArrayList<>(List.of(UNJUDGED, DEAD));
        buckets = new TimeBuckets(MOST_ACTIONS + 2, MOST_BUCKETS);
    }

    /** The series of an outcome, or of an action; those beyond the first are one. */
    int named(String name) {
        int series = names.indexOf(name);
        if (series < 0 && names.size() < MOST_ACTIONS + 2) {
            series = names.size();
            names.add(series, series == MOST_ACTIONS + 1 ? OTHERS : name);
        }
        return series < 0 ? names.indexOf(OTHERS) : series;
    }

    private String name(Rule rule) {
        return policy ? rule.outcome().label() : rule.action();
    }

    /** The series of a rule's packets; null: those that no rule matches. */
    int of(@Nullable Rule rule) {
        int series = names.indexOf(rule == null ? miss : name(rule));
        return series < 0 ? names.indexOf(OTHERS) : series;
    }

    /** Counts a packet of a series. */
    void add(int series, long timeNs) {
        buckets.add(series, timeNs);
    }

    /** Counts a packet for which no rules were in force. */
    void addUnjudged(long timeNs) {
        buckets.add(names.indexOf(UNJUDGED), timeNs);
    }

    /** Counts a packet that cannot be classified. */
    void addDeadLetter(long timeNs) {
        buckets.add(names.indexOf(DEAD), timeNs);
    }

    /** The section of the counts. */
    PageSection section() {
        long[] sums = new long[names.size()];
        for (int i = 0; i < buckets.size(); i++) {
            for (int s = 0; s < sums.length; s++) {
                sums[s] += buckets.count(i, s);
            }
        }
        int[] counted =
                IntStream.range(0, sums.length)
                        .filter(s -> sums[s] > 0)
                        .boxed()
                        .sorted(Comparator.comparing(s -> names.get(s).equals(DEAD)))
                        .mapToInt(s -> s)
                        .toArray();
        List<PageColumn> columns = new ArrayList<>();
        columns.add(new PageColumn("from", Kind.TIME));
        for (int s : counted) {
            columns.add(PageColumn.number(names.get(s)));
        }
        PageSection section = new PageSection("time", "Over time", columns);
        for (int i = 0; i < buckets.size(); i++) {
            Object[] row = new Object[counted.length + 1];
            row[0] = buckets.startMillis(i);
            long packets = 0;
            for (int s = 0; s < counted.length; s++) {
                long count = buckets.count(i, counted[s]);
                row[s + 1] = count;
                packets += count;
            }
            if (packets > 0) {
                section.row(row);
            }
        }
        if (buckets.size() > 0) {
            section.figure(new PageFigure.Chart(buckets.widthMillis()));
        }
        return section.note(
                "Packets by outcome. Times are in UTC."
                        + (buckets.untimed() == 0
                                ? ""
                                : " %,d packets have no time, and are not here."
                                        .formatted(buckets.untimed())));
    }
}
