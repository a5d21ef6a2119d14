package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.hits.InterfaceMap;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that judge captures by themselves: the rules, and the headers of packets. */
final class JudgingOptions {
    @Mixin RuleOptions rules = new RuleOptions();
    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin private HeaderOptions headers = new HeaderOptions();
    @Mixin private PolicyArguments policy = new PolicyArguments();

    @Option(
            names = "--interfaces",
            paramLabel = "FILE",
            description =
                    "Names that a policy has for the interfaces of captures: lines CAPTURED NAME, where CAPTURED is the name or number of an interface in a pcapng file, the kernel's number of it, or the number of --in-port. Packets came in by an interface that is listed, unless their capture states that they leave by it.")
    private @Nullable Path interfaces;

    /** Reads the rules; warnings go to err. */
    RuleSet readSet(PrintWriter err) {
        if (interfaces != null) {
            throw new UsageException(
                    "--interfaces: names the interfaces of captures; leave it out, or name captures");
        }
        return rules.readSet(headers, policy.options(), err);
    }

    /** Opens a classifier by these rules; warnings go to err. */
    CaptureHits open(PrintWriter err) {
        PolicyOptions options = policy.ofCaptures();
        InterfaceMap named = interfaces == null ? InterfaceMap.NONE : InterfaceMap.read(interfaces);
        RuleFile file = rules.read(rules.file(), options, err);
        if (interfaces != null && file.asked().interfaces().isEmpty()) {
            err.println("--interfaces does nothing: no rule asks for an interface");
        }
        RuleSet set = rules.setOf(file, headers, err);
        CaptureBatch.Facts facts =
                file.asked().isEmpty()
                        ? null
                        : new CapturedFacts(
                                file.asked(),
                                named,
                                options.assumed().host(),
                                inPort.number,
                                headers.parsing());
        return new CaptureHits(set, headers.parsing(), inPort.number, facts);
    }
}
