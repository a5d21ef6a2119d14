package dev.sluice.job.cli;

import picocli.CommandLine.Command;

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
            RulesFormatsCommand.class,
            RulesAnonymizeCommand.class,
            RulesConvertCommand.class,
            RulesTestCommand.class,
            RulesLintCommand.class,
            RulesLogCommand.class,
            RulesDiffCommand.class,
            RulesRollbackCommand.class,
            RulesShadowCommand.class,
            RulesPromoteCommand.class,
            RulesHitsCommand.class,
            RulesHeartbeatCommand.class,
        })
final class RulesCommand extends CommandGroup {}
