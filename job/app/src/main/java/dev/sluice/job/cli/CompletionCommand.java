package dev.sluice.job.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** {@code sluice completion}: completion of commands and options by the shell. */
@Command(
        name = "completion",
        description = {
            "Prints a script by which bash and zsh complete commands and options: type 'source <(./sluice completion)', "
                    + "or put that line, with the command's whole path, into ~/.bashrc or ~/.zshrc.",
            ""
        })
final class CompletionCommand extends SluiceCommand {
    @Override
    public Integer call() {
        String script = AutoComplete.bash("sluice", spec().root().commandLine());
        script.lines().forEach(out()::println);
        return 0;
    }
}
