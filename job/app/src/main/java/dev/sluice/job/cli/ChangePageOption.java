package dev.sluice.job.cli;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.report.ChangePage;
import dev.sluice.job.report.OutcomeChange;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.report.UnmetPairs;
import dev.sluice.policy.RuleList;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Option {@code --report} of a command that judges captures by the rules of two files. */
final class ChangePageOption extends PageOption {
    private @Nullable ChangePage changes;
    private String title = "";

    /** Refuses to write over captures and rules. */
    void requireUse(List<Path> captures, Path old, Path fresh) {
        List<Path> reads = new ArrayList<>(captures);
        reads.add(RuleList.of(old).file());
        reads.add(RuleList.of(fresh).file());
        requireUse(reads, null);
    }

    /**
     * Opens the page, if one is asked for.
     *
     * @param captures none: the packets are a topic's
     * @param names of the packets' captures, as far as they are met
     */
    ChangePageOption open(
            List<Path> captures,
            List<String> names,
            CaptureHits old,
            CaptureHits fresh,
            long most) {
        if (isAsked()) {
            open();
            title = captures.isEmpty() ? "packets of a job" : CapturePageOption.words(captures);
            changes = new ChangePage(names, old, fresh, most);
        }
        return this;
    }

    /** Lets the page count the packets of a batch, with the verdicts of before and after. */
    void see(CaptureBatch batch, VerdictBatch before, VerdictBatch after) {
        if (changes != null) {
            changes.add(batch, before, after);
        }
    }

    /** Writes the page, if one is asked for, and says so. */
    void write(
            TopReport<OutcomeChange> report,
            UnmetPairs others,
            HitSummary summary,
            Path old,
            Path fresh,
            PrintWriter err) {
        ChangePage counted = changes;
        if (counted != null) {
            write(
                    () ->
                            counted.page(
                                    "%s: from %s to %s".formatted(title, old, fresh),
                                    report,
                                    others,
                                    summary),
                    err);
        }
    }
}
