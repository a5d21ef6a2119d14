package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitPage;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageSection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counter of the packets of captures for a page. Its memory is bounded by the rules and by fixed
 * numbers of rows and buckets. Not thread-safe.
 */
public final class CaptureReport {
    private static final int MOST_ROWS = 250_000;

    private final OutcomeSeries series;
    private final PacketCounts<RuleLabel> denied =
            new PacketCounts<>(
                    Set.of(ReportColumn.RULE, ReportColumn.SOURCE, ReportColumn.SERVICE),
                    MOST_ROWS);
    private final CapturedCounts counter;
    private final CaptureHits hits;

    /** A report on the verdicts of {@code hits}, whose new batches state what it counts by. */
    public CaptureReport(CaptureHits hits) {
        this.hits = hits;
        series = new OutcomeSeries(hits);
        counter = new CapturedCounts(hits, VerdictChoice.deniedIfAny(hits), denied);
    }

    /** Counts the packets of a batch. */
    public void add(CaptureBatch batch, VerdictBatch found) {
        series.add(batch, found);
        counter.add(batch, found);
    }

    /**
     * The page.
     *
     * @param summary of the same packets
     */
    public Page page(String title, HitSummary summary) {
        HitPage parts = new HitPage(summary);
        Map<String, Object> facts = parts.facts();
        facts.put("denied", denied.packets());
        if (!hits.assumed().isEmpty()) {
            facts.put("assumed", hits.assumed());
        }
        return new Page(
                title,
                facts,
                List.of(
                        series.section(),
                        parts.rules(),
                        denied(summary.packets()),
                        parts.deadLetters(),
                        parts.captures()));
    }

    private PageSection denied(long packets) {
        return new CountSection<>(denied, HostNames.NONE, CountSection.RULES, false)
                .section(
                        "denied",
                        "Denied",
                        "%,d of %,d packets are denied.".formatted(denied.packets(), packets),
                        "sluice report --all");
    }
}
