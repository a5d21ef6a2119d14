package dev.sluice.job.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice help}: what {@code --help} of a command prints. */
@Command(
        name = "help",
        description = {"Prints the help of a command, as in 'sluice help rules add'.", ""})
final class HelpCommand extends SluiceCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "The command; without one, all commands are listed.")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        CommandLine command = spec().root().commandLine();
        for (String word : words) {
            CommandLine sub = command.getSubcommands().get(word);
            if (sub == null) {
                throw new ParameterException(
                        spec().commandLine(),
                        UsageErrors.noCommand(command, word) + "; 'sluice help' lists all");
            }
            command = sub;
        }
        command.usage(out());
        return 0;
    }
}
