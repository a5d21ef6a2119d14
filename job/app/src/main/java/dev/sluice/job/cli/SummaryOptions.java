package dev.sluice.job.cli;

import dev.sluice.job.hits.HitSummary;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** How commands that judge captures say in the end what the policy did. */
final class SummaryOptions {
    @Option(
            names = "--all-rules",
            description =
                    "Name every rule in the summary: by default those that were hit most, and the first that were never hit.")
    private boolean allRules;

    @Option(
            names = "--json",
            description = "Print the summary, whole, as one JSON object; nothing else goes there.")
    private boolean json;

    /** Tells whether the summary is JSON. */
    boolean isJson() {
        return json;
    }

    /** Prints a summary. */
    void print(HitSummary summary, PrintWriter out) {
        if (json) {
            out.println(summary.json());
            out.flush();
        } else {
            summary.print(out, allRules);
        }
    }
}
