package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.hits.CaptureHits;
import java.io.PrintWriter;
import picocli.CommandLine.Mixin;

/** Options of commands that judge captures by themselves: the rules, and the headers of packets. */
final class JudgingOptions {
    @Mixin RuleOptions rules = new RuleOptions();
    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin private HeaderOptions headers = new HeaderOptions();
    @Mixin private PolicyArguments policy = new PolicyArguments();

    /** Reads the rules; warnings go to err. */
    RuleSet readSet(PrintWriter err) {
        return rules.readSet(headers, policy.options(), err);
    }

    /** Opens a classifier by these rules; warnings go to err. */
    CaptureHits open(PrintWriter err) {
        RuleSet set = rules.readSet(headers, policy.options(), err);
        return new CaptureHits(set, headers.parsing(), inPort.number);
    }
}
