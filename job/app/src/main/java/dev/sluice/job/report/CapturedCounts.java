package dev.sluice.job.report;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderWord;

/** Packets of captures that are counted if their verdict is chosen. Not thread-safe. */
public final class CapturedCounts {
    private final RuleSet rules;
    private final VerdictChoice chosen;
    private final PacketCounts<RuleLabel> counts;
    private final int[] labels;
    private final int miss;
    private final int[] words = new int[HeaderWord.COUNT];
    private long depends;

    /**
     * Counts of a classifier's packets.
     *
     * @param hits makes batches that state the fields of a report from now on
     */
    public CapturedCounts(CaptureHits hits, VerdictChoice chosen, PacketCounts<RuleLabel> counts) {
        hits.stating(PacketField.wordBits(PacketCounts.FIELDS));
        rules = hits.ruleSet();
        this.chosen = chosen;
        this.counts = counts;
        labels = new int[rules.size()];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = counts.rule(RuleLabel.of(hits.rule(i)));
        }
        miss = counts.rule(new RuleLabel(0, rules.defaultAction(), ""));
    }

    /** Counts the packets of a batch by their verdicts. */
    public void add(CaptureBatch batch, VerdictBatch found) {
        for (int i = 0; i < batch.headers().size(); i++) {
            int rule = found.rule(i);
            depends += rules.outcome(rule) == VerdictOutcome.DEPENDS ? 1 : 0;
            if (chosen.chooses(rule)) {
                batch.words(i, words);
                counts.add(
                        rule == VerdictBatch.MISS ? miss : labels[rule],
                        field -> field.value(words),
                        batch.headerLengths()[i],
                        batch.headerTimes()[i]);
            }
        }
    }

    /** Number of packets whose outcome depends. */
    public long depends() {
        return depends;
    }
}
