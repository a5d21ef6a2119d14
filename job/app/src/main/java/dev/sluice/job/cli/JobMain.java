package dev.sluice.job.cli;

import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine;

/** Entry point of the job jar: {@code flink run sluice-job.jar OPTIONS}, the options of run. */
public final class JobMain {
    private JobMain() {}

    /** Submits the job to where the Flink client says. */
    public static void main(String[] args) {
        RunCommand run = new RunCommand();
        run.submit.useFlinkClient();
        CommandLine command = new CommandLine(run);
        OptionTypes.register(command);
        UsageErrors.handle(command, "sluice");
        command.setExecutionExceptionHandler(
                (e, c, result) -> {
                    throw e;
                });
        int status = command.execute(args);
        if (status != 0) {
            throw new SluiceException("the job was not submitted; its options are wrong");
        }
    }
}
