package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.Page;
import dev.sluice.job.replay.ReplayedPackets;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.policy.model.Outcome;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Counter of the packets of a replay for a page. Not thread-safe. */
public final class ReplayReport implements ReplayedPackets {
    private final boolean policy;
    private final PageCounts counts;
    private final TreeSet<String> assumed = new TreeSet<>();
    private final TopConnections connections = new TopConnections(false);

    private final IdentityHashMap<Rule, Numbers> numbers = new IdentityHashMap<>();

    /**
     * Numbers of a rule.
     *
     * @param series of its packets
     * @param label of its denied packets
     */
    private record Numbers(int series, int label, boolean denies) {}

    private final Numbers miss;

    /** Counts of 0 of packets that versions of the rules judge. */
    public ReplayReport(List<RuleVersionFile> versions, String defaultAction) {
        policy = versions.get(0).rules().isPolicy();
        counts =
                new PageCounts(
                        policy,
                        defaultAction,
                        versions.stream().flatMap(of -> of.rules().rules().stream()).toList());
        miss =
                new Numbers(
                        counts.series.of(null),
                        counts.denied.rule(new RuleLabel(0, defaultAction, "")),
                        Outcome.denies(defaultAction));
    }

    @Override
    public void judged(
            @Nullable Rule rule,
            VerdictOutcome outcome,
            String assuming,
            int[] header,
            int length,
            long timeNs) {
        Numbers of = rule == null ? miss : numbers.computeIfAbsent(rule, this::numbers);
        counts.series.add(of.series, timeNs);
        if (policy ? outcome == VerdictOutcome.DENY : of.denies) {
            counts.denied.add(of.label, field -> field.value(header), length, timeNs);
        }
        if (!assuming.isEmpty()) {
            assumed.add(assuming);
        }
    }

    private Numbers numbers(Rule rule) {
        return new Numbers(
                counts.series.of(rule),
                counts.denied.rule(RuleLabel.of(rule)),
                Outcome.denies(rule.action()));
    }

    @Override
    public void unjudged(long timeNs) {
        counts.series.addUnjudged(timeNs);
    }

    @Override
    public void deadLetter(long timeNs) {
        counts.series.addDeadLetter(timeNs);
    }

    @Override
    public void connection(Connection row) {
        connections.accept(row);
    }

    /**
     * The page.
     *
     * @param summary of the same packets
     */
    public Page page(String title, HitSummary summary, PageFindings findings) {
        return counts.page(title, summary, String.join("; ", assumed), findings, connections);
    }
}
