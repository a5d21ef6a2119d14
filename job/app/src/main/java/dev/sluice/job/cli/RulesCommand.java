package dev.sluice.job.cli;

import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice rules}: what is done with rule sets. */
@Command(
        name = "rules",
        description = {
            "Works with rule sets: publishes them to the rules topic of a Kafka cluster, changes single rules, "
                    + "shows the topic's history.",
            "A change takes effect whole or, if the publisher dies, not at all. Of two publishers at once one "
                    + "wins; the other is told that its base is stale, exit status 1, and has changed nothing.",
            ""
        },
        subcommands = {
            RulesPublishCommand.class,
            RulesApplyCommand.class,
            RulesAddCommand.class,
            RulesRemoveCommand.class,
            RulesShowCommand.class,
            RulesLogCommand.class,
            RulesDiffCommand.class,
            RulesRollbackCommand.class,
            RulesHitsCommand.class,
            RulesHeartbeatCommand.class,
        })
final class RulesCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        String names =
                spec.subcommands().values().stream()
                        .map(command -> "sluice rules " + command.getCommandName())
                        .collect(Collectors.joining(", or "));
        throw new ParameterException(spec.commandLine(), "name what to do: " + names);
    }
}
