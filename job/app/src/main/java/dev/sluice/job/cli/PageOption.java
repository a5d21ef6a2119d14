package dev.sluice.job.cli;

import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitSummary;
import dev.sluice.job.page.PageFile;
import dev.sluice.job.report.CaptureReport;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option {@code --report} of commands that judge captures: a page for a browser. */
final class PageOption implements AutoCloseable {
    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description =
                    "Write one page for a browser to this file, which needs no network: outcomes over time, rules and their hits, who was denied, dead letters. No line a packet goes to standard output then.")
    private @Nullable Path file;

    private @Nullable PageFile page;
    private @Nullable CaptureReport report;

    /** Tells whether a page is asked for. */
    boolean isAsked() {
        return file != null;
    }

    /** Refuses to write over other files of the command. */
    void requireUse(List<Path> reads, @Nullable Path verdicts) {
        OutputPath.require("--report", file, reads);
        if (file != null && verdicts != null) {
            OutputPath.requireOther("--report", file, List.of(verdicts));
        }
    }

    /** Opens the page, if one is asked for: new batches of {@code hits} then state more. */
    PageOption open(CaptureHits hits) {
        if (file != null) {
            page = new PageFile(file);
            report = new CaptureReport(hits);
        }
        return this;
    }

    /** Lets the page count the packets of a run. */
    void see(VerdictRun run) {
        if (report != null) {
            run.seenBy(report::add);
        }
    }

    /** Writes the page, if one is asked for, and says so. */
    void write(HitSummary summary, List<Path> captures, Path rules, PrintWriter err) {
        if (page == null || report == null) {
            return;
        }
        String title =
                "%s by %s"
                        .formatted(
                                captures.size() == 1
                                        ? captures.get(0).toString()
                                        : Amount.of(captures.size(), "capture"),
                                rules);
        page.write(report.page(title, summary));
        err.println("sluice: the page is in " + file);
    }

    @Override
    public void close() {
        if (page != null) {
            page.close();
        }
    }
}
