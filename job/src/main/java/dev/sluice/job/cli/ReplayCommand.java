package dev.sluice.job.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice replay}: captures through the whole corridor in one process. */
@Command(
        name = "replay",
        description = {
            "Classifies captures through an embedded Kafka broker and an embedded Flink cluster.",
            "The verdict file's order and content do not depend on the parallelism.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class ReplayCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private CaptureArguments captures = new CaptureArguments();

    @Mixin private RuleOptions rules = new RuleOptions();

    @Mixin private ReplayOptions replay = new ReplayOptions();

    @Override
    public Integer call() throws Exception {
        return replay.run(
                captures.files(), rules, spec.commandLine().getOut(), spec.commandLine().getErr());
    }
}
