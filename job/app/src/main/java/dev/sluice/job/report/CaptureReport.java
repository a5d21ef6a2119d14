package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.Page;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.schemas.codec.Connection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Counter of the packets of captures for a page. Not thread-safe. */
public final class CaptureReport {
    private final PageCounts counts;
    private final CapturedCounts denied;
    private final CaptureHits hits;
    private final @Nullable TopConnections connections;
    private final int[] ofRule;
    private final int ofMiss;

    /** A report on the verdicts of {@code hits}, whose new batches state what it counts by. */
    public CaptureReport(CaptureHits hits) {
        this.hits = hits;
        RuleSet set = hits.ruleSet();
        connections = hits.isTracking() ? new TopConnections(false) : null;
        counts = new PageCounts(set.isPolicy(), set.defaultAction(), set.rules());
        denied = new CapturedCounts(hits, VerdictChoice.deniedIfAny(hits), counts.denied);
        ofRule = set.rules().stream().mapToInt(counts.series::of).toArray();
        ofMiss = counts.series.of(null);
    }

    /** Takes each row of a connection; null: connections are not tracked. */
    public @Nullable Consumer<Connection> connections() {
        return connections;
    }

    /** Counts the packets of a batch. */
    public void add(CaptureBatch batch, VerdictBatch found) {
        int headers = batch.headers().size();
        long[] times = batch.headerTimes();
        for (int i = 0; i < headers; i++) {
            int rule = found.rule(i);
            counts.series.add(rule == VerdictBatch.MISS ? ofMiss : ofRule[rule], times[i]);
        }
        for (int i = 0; i < batch.packets() && headers < batch.packets(); i++) {
            if (batch.reason(i) != null) {
                counts.series.addDeadLetter(
                        CaptureReader.clampedTimeNs(batch.timeLow(i), batch.timeHigh(i)));
            }
        }
        denied.add(batch, found);
    }

    /**
     * The page.
     *
     * @param summary of the same packets
     */
    public Page page(String title, HitSummary summary, PageFindings findings) {
        return counts.page(title, summary, hits.assumed(), findings, connections);
    }
}
