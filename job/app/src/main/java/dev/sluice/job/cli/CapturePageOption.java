package dev.sluice.job.cli;

import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.report.CaptureReport;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.Connection;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Option {@code --report} of a command that judges captures by itself. */
final class CapturePageOption extends PageOption {
    private @Nullable CaptureReport report;

    /** Opens the page, if one is asked for: new batches of {@code hits} then state more. */
    CapturePageOption open(CaptureHits hits) {
        if (isAsked()) {
            open();
            report = new CaptureReport(hits);
        }
        return this;
    }

    /** Takes each row of a connection; null: the page has none. */
    @Nullable Consumer<Connection> connections() {
        return report == null ? null : report.connections();
    }

    /** Lets the page count the packets of a run. */
    void see(VerdictRun run) {
        if (report != null) {
            run.seenBy(report::add);
        }
    }

    /** Writes the page, if one is asked for, and says so. */
    void write(HitSummary summary, List<Path> captures, JudgingOptions judging, PrintWriter err) {
        CaptureReport counted = report;
        if (counted != null) {
            String title = title(captures, judging.rules.file());
            PageFindings findings = judging.lint(summary.rules().inForce().size());
            write(() -> counted.page(title, summary, findings), err);
        }
    }

    /** Heading of a page about captures and rules. */
    static String title(List<Path> captures, Path rules) {
        return "%s by %s".formatted(words(captures), rules);
    }

    /** Captures in words. */
    static String words(List<Path> captures) {
        return captures.size() == 1
                ? captures.get(0).toString()
                : Amount.of(captures.size(), "capture");
    }
}
