package dev.sluice.job.cli;

import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleFormats;
import picocli.CommandLine.Command;

/** {@code sluice rules formats}: the formats of rule files. */
@Command(
        name = "formats",
        description = {
            "Lists the formats of rule files: the word for --rules-format, the name, and a rule as an example.",
            ""
        })
final class RulesFormatsCommand extends SluiceCommand {
    @Override
    public Integer call() {
        for (String label : RuleFormats.labels()) {
            RuleFormat format = RuleFormats.of(label);
            out().printf("%-12s %-24s %s%n", label, format.title(), format.example());
        }
        return 0;
    }
}
