package dev.sluice.job.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice completion}: completion of commands and options by the shell. */
@Command(
        name = "completion",
        description = {
            "Prints a script by which bash and zsh complete commands and options: type 'source <(./sluice completion)', "
                    + "or put that line, with the command's whole path, into ~/.bashrc or ~/.zshrc.",
            ""
        })
final class CompletionCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        String script = AutoComplete.bash("sluice", spec.root().commandLine());
        script.lines().forEach(spec.commandLine().getOut()::println);
        return 0;
    }
}
