package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import picocli.CommandLine.Mixin;

/** Options of commands that judge captures by themselves: the rules, and the headers of packets. */
final class JudgingOptions {
    @Mixin RuleOptions rules = new RuleOptions();
    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin private HeaderOptions headers = new HeaderOptions();
    @Mixin private CapturedPolicy policy = new CapturedPolicy();
    @Mixin private ConnectionOptions connections = new ConnectionOptions();

    /** Reads the rules; warnings go to err. */
    RuleSet readSet(PrintWriter err) {
        if (policy.interfaces.isGiven()) {
            throw new UsageException(
                    "--interfaces: names the interfaces of captures; leave it out, or name captures");
        }
        connections.requireNone();
        return rules.readSet(headers, policy.withoutCaptures(), err);
    }

    /** Opens a classifier by these rules; warnings go to err. */
    CaptureHits open(PrintWriter err) {
        PolicyOptions options = connections.of(policy.options());
        RuleFile file = rules.read(rules.file(), options, err);
        RuleSet set = rules.setOf(file, headers, err);
        CapturedFacts facts = policy.facts(file.asked(), inPort, headers, err);
        TrackerOptions tracking = connections.tracking(set.isPolicy(), set.rules(), err);
        return new CaptureHits(set, headers.parsing(), inPort.number, facts, tracking);
    }
}
