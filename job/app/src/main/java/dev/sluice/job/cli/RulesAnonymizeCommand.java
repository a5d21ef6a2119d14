package dev.sluice.job.cli;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.anonymize.Anonymizer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice rules anonymize}: a rule file under other names. */
@Command(
        name = "anonymize",
        description = {
            "Prints a rule file with other addresses and names in place of its own, for a bug report.",
            "Addresses keep their prefixes, ports and numbers stay. Names of interfaces, chains and sets, and comments, "
                    + "become other words, the same for the same. The rules decide about equally replaced packets as before.",
            "Loopback, IPv6 link-local and multicast addresses stay, and digits in names and comments. Words behind options that Sluice does not know stay, too: "
                    + "read the result before you send it.",
            ""
        })
final class RulesAnonymizeCommand extends SluiceCommand {
    @Parameters(
            paramLabel = "FILE",
            description =
                    "Rule file: iptables-save, ip6tables-save, text of nft, OpenFlow, ClassBench, JSON of rules convert, or objects of Kubernetes, of which the fields that Sluice reads are printed as JSON.")
    private Path file = Path.of("");

    @Option(
            names = "--rules-format",
            paramLabel = "FORMAT",
            completionCandidates = RuleFileOptions.Formats.class,
            description =
                    "Format of the rule file: one of ${COMPLETION-CANDIDATES}; detected if not given.")
    private @Nullable RuleFormat format;

    @Option(
            names = "--key",
            paramLabel = "HEX",
            description =
                    "64 hexadecimal digits; files under one key have the same names (default: a key is drawn and forgotten).")
    private @Nullable String key;

    @Override
    public Integer call() {
        Anonymizer names = key == null ? Anonymizer.random() : Anonymizer.of(key);
        try (OpenRules text = OpenRules.open(file, format)) {
            names.lines(text).forEach(out()::println);
        }
        return 0;
    }
}
