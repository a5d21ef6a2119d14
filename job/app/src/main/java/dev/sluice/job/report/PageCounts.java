package dev.sluice.job.report;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.hits.HitPage;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageSection;
import dev.sluice.job.rules.PageFindings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts of packets for a page, beside those of a {@link HitSummary}. Their memory is bounded by
 * the rules and by fixed numbers of rows and buckets. Not thread-safe.
 */
final class PageCounts {
    private static final int MOST_ROWS = 250_000;

    /** Packets by time and outcome. */
    final OutcomeSeries series;

    /** Denied packets. */
    final PacketCounts<RuleLabel> denied =
            new PacketCounts<>(
                    Set.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE),
                    MOST_ROWS);

    /** Counts of 0, with the parameters of {@link OutcomeSeries}. */
    PageCounts(boolean policy, String defaultAction, List<Rule> rules) {
        series = new OutcomeSeries(policy, defaultAction, rules);
    }

    /**
     * The page.
     *
     * @param summary of the same packets
     * @param assumed assumption that a policy judged under; empty: none
     * @param findings of the rules
     * @param connections of the packets; null: there is no tab of them
     */
    Page page(
            String title,
            HitSummary summary,
            String assumed,
            PageFindings findings,
            @Nullable TopConnections connections) {
        HitPage parts = new HitPage(summary);
        Map<String, Object> facts = parts.facts();
        facts.put("denied", denied.packets());
        if (!assumed.isEmpty()) {
            facts.put("assumed", assumed);
        }
        List<PageSection> sections = new ArrayList<>();
        sections.add(series.section());
        sections.add(parts.rules(findings.areKnown() ? findings::of : null));
        sections.add(findings.section());
        sections.add(denied(summary.packets()));
        ConnectionSum tracked = summary.connections();
        if (connections != null && tracked != null) {
            sections.add(connections.section(tracked.describe()));
        }
        sections.add(parts.deadLetters());
        sections.add(parts.captures());
        return new Page(title, facts, sections);
    }

    private PageSection denied(long packets) {
        return new CountSection<>(denied, HostNames.NONE, CountSection.RULES, false, false)
                .section(
                        "denied",
                        "Denied",
                        "%,d of %,d packets are denied.".formatted(denied.packets(), packets),
                        "sluice report --all");
    }
}
