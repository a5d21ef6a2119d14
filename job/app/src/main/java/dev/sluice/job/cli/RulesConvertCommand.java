package dev.sluice.job.cli;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.convert.Conversion;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice rules convert}: a rule file in another format. */
@Command(
        name = "convert",
        description = {
            "Prints rules in another format: every packet has the verdict that it had.",
            "A rule that the format cannot say is refused with the reason. ClassBench and OpenFlow take policies that are "
                    + "one list; iptables and ip6tables take hooks of iptables-save and ip6tables-save; nft takes policies of chains; json takes every policy, and --rules reads it again (docs/json-policy.md). docs/guide/rule-files.md has the table.",
            ""
        })
final class RulesConvertCommand extends SluiceCommand {
    @Parameters(paramLabel = "FILE[#LIST]", description = "Rule file; of several lists name one.")
    private Path file = Path.of("");

    @Option(
            names = "--to",
            paramLabel = "FORMAT",
            required = true,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private Conversion.Target target = Conversion.Target.OPENFLOW;

    @Mixin private RuleFileOptions reading = new RuleFileOptions();

    @Option(
            names = "--whole-packets",
            description =
                    "Convert for packets with a whole transport header: of later fragments, whose ports nobody sees, and of packets with an authentication header, the result may say something else.")
    private boolean wholePackets;

    @Option(
            names = "--permit-others",
            description =
                    "With a FILE of OpenFlow or ClassBench and a target of chains: packets that no rule matches pass (default: they are dropped).")
    private boolean permitsOthers;

    @Mixin private PolicyArguments policy = new PolicyArguments();

    @Override
    public Integer call() {
        try (OpenRules text = reading.open(file)) {
            Conversion result =
                    Conversion.of(
                            text,
                            reading.ports.read(),
                            policy.options(),
                            target,
                            wholePackets,
                            permitsOthers);
            result.warnings().forEach(err()::println);
            result.lines().forEach(out()::println);
        }
        return 0;
    }
}
