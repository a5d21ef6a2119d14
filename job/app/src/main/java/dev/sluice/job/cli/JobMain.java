package dev.sluice.job.cli;

import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine;

/**
 * Entry point of the job jar: {@code flink run sluice-job.jar OPTIONS}, the options of run, or
 * {@code flink run sluice-job.jar archive OPTIONS}.
 */
public final class JobMain {
    private JobMain() {}

    /** Submits the job to where the Flink client says. */
    public static void main(String[] args) {
        PlaceOptions.OfClient client = new PlaceOptions.OfClient();
        CommandLine command = new CommandLine(new RunCommand(client));
        command.addSubcommand(new ArchiveCommand(client));
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
