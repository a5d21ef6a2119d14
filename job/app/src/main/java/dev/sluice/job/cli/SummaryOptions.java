package dev.sluice.job.cli;

import dev.sluice.job.hits.HitSummary;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** How commands that judge captures say in the end what the policy did. */
final class SummaryOptions {
    @Option(
            names = "--all-rules",
            description =
                    "List every rule in the summary (default: the rules hit most, and the first rules never hit).")
    private boolean allRules;

    @Option(
            names = "--json",
            description =
                    "Print the whole summary as one JSON object, and nothing else, to standard output.")
    boolean json;

    /** Prints a summary. */
    void print(HitSummary summary, PrintWriter out) {
        if (json) {
            out.println(summary.json());
        } else {
            summary.print(out, allRules);
        }
    }
}
