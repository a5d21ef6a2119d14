package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.rules.PageFindings;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Mixin;

/** Options of commands that judge captures by themselves: the rules, and the headers of packets. */
final class JudgingOptions {
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
        return rules.findings(size, packets.options(false));
    }
}
