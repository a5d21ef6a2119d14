package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.hits.CaptureHits;
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

/**
 * Counter of packets by time and outcome: the outcome of a policy, or the action where rules stand
 * for themselves. Actions beyond {@link #MOST_ACTIONS}, those of the fewest rules, are one series.
 */
final class OutcomeSeries {
    private static final int MOST_BUCKETS = 2000;
    private static final int MOST_ACTIONS = 6;
    private static final String OTHERS = "other actions";
    private static final String DEAD = "dead letter";

    private static final List<String> OUTCOMES =
            Stream.of(VerdictOutcome.values()).map(VerdictOutcome::label).toList();

    private final List<String> names;
    private final int[] ofRule;
    private final int ofMiss;
    private final TimeBuckets buckets;

    /** Counts of 0 of the verdicts of {@code hits}. */
    OutcomeSeries(CaptureHits hits) {
        RuleSet set = hits.ruleSet();
        boolean policy = set.isPolicy();
        String miss = policy ? VerdictOutcome.NOT_JUDGED.label() : set.defaultAction();
        Map<String, Integer> rules = new LinkedHashMap<>();
        rules.put(miss, Integer.MAX_VALUE / 2); // a series of its own, however few rules say it
        for (int i = 0; i < set.size(); i++) {
            rules.merge(name(policy, hits.rule(i)), 1, Integer::sum);
        }
        names = new ArrayList<>(rules.keySet());
        names.sort(
                Comparator.comparing(
                        name -> policy ? OUTCOMES.indexOf(name) : -rules.getOrDefault(name, 0)));
        if (names.size() > MOST_ACTIONS) {
            names.subList(MOST_ACTIONS - 1, names.size()).clear();
            names.add(OTHERS);
        }
        ofRule = new int[set.size()];
        for (int i = 0; i < ofRule.length; i++) {
            int series = names.indexOf(name(policy, hits.rule(i)));
            ofRule[i] = series < 0 ? names.size() - 1 : series;
        }
        ofMiss = names.indexOf(miss);
        names.add(DEAD);
        buckets = new TimeBuckets(names.size(), MOST_BUCKETS);
    }

    private static String name(boolean policy, Rule rule) {
        return policy ? rule.outcome().label() : rule.action();
    }

    /** Counts the packets of a batch. */
    void add(CaptureBatch batch, VerdictBatch found) {
        int headers = batch.headers().size();
        long[] times = batch.headerTimes();
        for (int i = 0; i < headers; i++) {
            int rule = found.rule(i);
            buckets.add(rule == VerdictBatch.MISS ? ofMiss : ofRule[rule], times[i]);
        }
        for (int i = 0; i < batch.packets() && headers < batch.packets(); i++) {
            if (batch.reason(i) != null) {
                long time = CaptureReader.clampedTimeNs(batch.timeLow(i), batch.timeHigh(i));
                buckets.add(names.size() - 1, time);
            }
        }
    }

    /** The section of the counts. */
    PageSection section() {
        long[] sums = new long[names.size()];
        for (int i = 0; i < buckets.size(); i++) {
            for (int s = 0; s < sums.length; s++) {
                sums[s] += buckets.count(i, s);
            }
        }
        int[] counted = IntStream.range(0, sums.length).filter(s -> sums[s] > 0).toArray();
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
