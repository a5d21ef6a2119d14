package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitPage;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.Page;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Page of the packets to which a change of rules gives another outcome. Not thread-safe. */
public final class ChangePage {
    private static final int MOST_PAIRS = 250_000;

    /** Packets by pair of rules alone, so that each pair has its connections. */
    private final PacketCounts<OutcomeChange> pairs =
            new PacketCounts<>(Set.of(ReportColumn.RULE), MOST_PAIRS);

    private final OutcomeChanges changes;

    /**
     * Counts of 0.
     *
     * @param captures names of the captures
     * @param most most connections that are told apart in their rows
     */
    public ChangePage(List<String> captures, CaptureHits old, CaptureHits fresh, long most) {
        changes = new OutcomeChanges(captures, old, fresh, pairs, most);
    }

    /** Counts the packets of a batch, as of {@link OutcomeChanges#add}. */
    public void add(CaptureBatch batch, VerdictBatch before, VerdictBatch after) {
        changes.add(batch, before, after);
    }

    /**
     * The page.
     *
     * @param report the counts that the command prints
     * @param others pairs that no packet met
     * @param summary of the packets
     */
    public Page page(
            String title, TopReport<OutcomeChange> report, UnmetPairs others, HitSummary summary) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("packets", summary.packets());
        facts.put("with another outcome", pairs.packets());
        facts.put("pairs of rules", (long) pairs.table().size());
        HitPage captures = new HitPage(summary);
        String words = changes.describe(summary.packets()) + ".";
        List<TopTable.Entry<PacketCounts.Key>> unmet = others.rows(pairs);
        String untold = others.describe(pairs);
        return new Page(
                title,
                facts,
                List.of(
                        new CountSection<>(
                                        pairs,
                                        HostNames.NONE,
                                        unmet.isEmpty()
                                                ? CountSection.CHANGES
                                                : CountSection.UNMET_CHANGES,
                                        true,
                                        true)
                                .section(
                                        "pairs",
                                        "Pairs of rules",
                                        untold.isEmpty()
                                                ? words
                                                : "%s %s%s."
                                                        .formatted(
                                                                words,
                                                                untold.substring(0, 1)
                                                                        .toUpperCase(Locale.ROOT),
                                                                untold.substring(1)),
                                        "sluice whatif --by rule --all",
                                        unmet),
                        new CountSection<>(
                                        report.counts(),
                                        report.hosts(),
                                        CountSection.CHANGES,
                                        true,
                                        true)
                                .section(
                                        "changes",
                                        "Hosts and services",
                                        words,
                                        "sluice whatif --all"),
                        captures.deadLetters(),
                        captures.captures()));
    }
}
