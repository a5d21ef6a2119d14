package dev.sluice.job.cli;

import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.RulePublisher;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice rules}: what is done with rule sets. */
@Command(
        name = "rules",
        description = {"Works with rule sets.", ""},
        subcommands = {RulesCommand.Publish.class, RulesHitsCommand.class})
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

    /** {@code sluice rules publish}: a rule file into the rules topic. */
    @Command(
            name = "publish",
            description = {
                "Publishes a rule file as the next version of the rules topic.",
                "It takes effect whole or, if the publisher dies, not at all.",
                ""
            })
    static final class Publish implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Mixin private RuleOptions rules = new RuleOptions();

        @Mixin private TopicOptions topics = new TopicOptions();

        @Override
        public Integer call() {
            RuleFile file = rules.read(spec.commandLine().getErr());
            try (KafkaAccess access = topics.connect(2)) {
                access.requireTopics(topics.names().rules());
            }
            long version =
                    RulePublisher.publish(
                            topics.bootstrap(),
                            topics.names().rules(),
                            rules.file().toString(),
                            rules.defaultAction(),
                            file.rules());
            spec.commandLine()
                    .getOut()
                    .printf(
                            "%,d rules of %s published to %s as version %d%n",
                            file.rules().size(), rules.file(), topics.names().rules(), version);
            return 0;
        }
    }
}
