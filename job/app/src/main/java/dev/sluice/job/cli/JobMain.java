package dev.sluice.job.cli;

import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine;

/** Entry point of the job jar: {@code flink run sluice-job.jar OPTIONS}, the options of run. */
public final class JobMain {
    private JobMain() {}

    /** Submits the job to where the Flink client says. */
    public static void main(String[] args) {
        CommandLine command = new CommandLine(RunCommand.inFlinkClient());
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
