package dev.sluice.job.replay;

import dev.sluice.engine.CountedRules;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.hits.CaptureSum;
import dev.sluice.job.hits.HitSums;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.RuleStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Count of hits by rule from the verdicts that a replay has received, in capture order.
 *
 * <p>Memory is proportional to the rules. Not thread-safe.
 */
final class SpoolHits {
    private static final int PIECE = 4096;
    private static final int MISS = -1;

    private final VerdictCollector collector;

    /** Rules of an outcome, at most: its own, and those of earlier stages. */
    private final int rulesEach;

    private final HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
    private final HitSums sums = new HitSums();
    private final List<CaptureSum> captures = new ArrayList<>();
    private final Map<Long, CountedRules> byVersion = new HashMap<>();

    private final int[] found = new int[PIECE];
    private final long[] times = new long[PIECE];
    private final int[] lengths = new int[PIECE];
    private int size;
    private long version;
    private long missed;
    private long matched;
    private long deadLetters;

    /** Creates an empty count; the collector must have all verdicts. */
    SpoolHits(VerdictCollector collector) {
        this.collector = collector;
        int most = 0;
        for (int i = 0; i < collector.outcomes(); i++) {
            most = Math.max(most, collector.outcome(i).earlier().size());
        }
        rulesEach = 1 + most;
    }

    /** Counts the verdicts of the next capture. */
    void add(VerdictSpool spool, String capture, CaptureEnd end) throws IOException {
        matched = 0;
        missed = 0;
        deadLetters = 0;
        spool.visit(
                (number, timeLow, timeHigh, verdict, length) -> {
                    if (verdict < 0) {
                        deadLetters++;
                    } else {
                        count(
                                verdict - VerdictSpool.FIRST_OUTCOME,
                                CaptureReader.clampedTimeNs(timeLow, timeHigh),
                                length);
                    }
                });
        flush();
        captures.add(
                new CaptureSum(
                        capture, spool.size(), matched, missed, deadLetters, end.kind().label()));
    }

    private void count(int index, long time, int length) {
        VerdictCollector.Outcome outcome = collector.outcome(index);
        if (!outcome.hasVersion()) {
            return; // no rules were in force
        }
        if (size + rulesEach > PIECE || outcome.version() != version) {
            flush();
            version = outcome.version();
        }
        boolean miss = outcome.rule() == null;
        missed += miss ? 1 : 0;
        matched += miss ? 0 : 1;
        put(miss ? MISS : index * rulesEach, time, length);
        for (int stage = 1; stage <= outcome.earlier().size(); stage++) {
            put(index * rulesEach + stage, time, length);
        }
    }

    private void put(int number, long time, int length) {
        found[size] = number;
        times[size] = time;
        lengths[size++] = length;
    }

    private long ruleId(int number) {
        VerdictCollector.Outcome outcome = collector.outcome(number / rulesEach);
        int stage = number % rulesEach;
        return stage == 0 ? outcome.ruleId() : outcome.earlier().get(stage - 1).id();
    }

    private void flush() {
        if (size > 0) {
            CountedRules rules =
                    byVersion.computeIfAbsent(
                            version,
                            number ->
                                    new CountedRules.Numbered(
                                            number,
                                            collector.outcomes() * rulesEach,
                                            this::ruleId));
            counter.count(found, 0, size, times, lengths, rules);
            counter.takeFull(sums::add);
            size = 0;
        }
    }

    /** Returns the hits of each rule. */
    List<RuleStatistics> hits() {
        counter.drain(sums::add);
        return sums.take();
    }

    /** Returns the captures that were counted. */
    List<CaptureSum> captures() {
        return List.copyOf(captures);
    }
}
