package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.rules.AcceptedFindings;
import dev.sluice.job.rules.LintFindings;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Options of commands that judge captures by themselves: the rules, and the headers of packets. */
final class JudgingOptions {
    /** Most rules of a page about captures that are linted, in some 3 s. */
    private static final int MOST_LINTED = 50_000;

    @Mixin RuleOptions rules = new RuleOptions();
    @Mixin private JudgedPackets packets = new JudgedPackets();

    /** Reads the rules; warnings go to err. */
    RuleSet readSet(PrintWriter err) {
        return rules.readSet(packets.headers, packets.withoutCaptures(), err);
    }

    /** Opens a classifier by these rules; warnings go to err. */
    CaptureHits open(PrintWriter err) {
        return open(err, false);
    }

    /**
     * Opens a classifier by these rules; warnings go to err.
     *
     * @param rows whether connections are to have rows, so that they are tracked under any policy
     */
    CaptureHits open(PrintWriter err, boolean rows) {
        return packets.open(List.of(packets.read(rules, rules.file(), err)), rows, err).get(0);
    }

    /**
     * Lints the rules for a page about captures, as {@code rules lint} does.
     *
     * @param size number of rules as look-ups have them
     */
    PageFindings lint(int size) {
        Path file = RuleList.of(rules.file()).file();
        if (size > MOST_LINTED) {
            return PageFindings.none(
                    "Findings are told up to %,d rules, and these are %,d: ask sluice rules lint."
                            .formatted(MOST_LINTED, size));
        }
        if (!Files.isRegularFile(file) && !Files.isDirectory(file)) {
            return PageFindings.none("Rules from a pipe are read once, without findings.");
        }
        if (rules.givesActions()) {
            return PageFindings.none("Rules whose actions --actions tells have no findings.");
        }
        if (packets.options(false).translates()) {
            return PageFindings.none("Under --nat rules have no findings.");
        }
        try {
            return PageFindings.of(
                    LintFindings.of(
                            rules.lintReport(packets.options(false)),
                            false,
                            AcceptedFindings.NONE));
        } catch (SluiceException e) {
            return PageFindings.none("No findings: " + e.getMessage());
        }
    }
}
