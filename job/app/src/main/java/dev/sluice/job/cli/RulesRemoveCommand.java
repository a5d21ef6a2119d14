package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice rules remove}: one rule less. */
@Command(
        name = "remove",
        description = {"Removes a rule from those of the rules topic, as the next version.", ""})
final class RulesRemoveCommand extends SluiceCommand implements PublishingCommand {
    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    @Mixin private RulePublication publication = new RulePublication();

    /** One of these. */
    static final class Which {
        @Parameters(
                paramLabel = "ID",
                description = "Id of the rule, as sluice rules show lists it.")
        private @Nullable Long id;

        @Option(names = "--line", paramLabel = "N", description = "Line of the rule in its file.")
        @Range(from = 1)
        private int line;
    }

    /** Half of all ids are negative: what begins with a hyphen may be one. */
    @Spec
    void takeNegativeIds(CommandSpec command) {
        command.parser().unmatchedOptionsArePositionalParams(true);
    }

    @Override
    public Integer call() {
        return publication.edit(
                null,
                false,
                content -> {
                    Long id = which.id;
                    Rule rule = id == null ? content.onLine(which.line) : content.get(id);
                    if (rule == null) {
                        throw new SluiceException(
                                (id == null
                                                ? "no rule stands on line " + which.line
                                                : "no rule has the id " + id)
                                        + "; sluice rules show lists them");
                    }
                    return new RuleEdit.Remove(
                            new RuleEdit.Name(String.valueOf(rule.id()), rule.id(), null));
                });
    }
}
