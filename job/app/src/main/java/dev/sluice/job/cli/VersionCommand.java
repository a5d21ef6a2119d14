package dev.sluice.job.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice version}: what {@code --version} prints. */
@Command(
        name = "version",
        description = {"Prints the version of Sluice.", ""})
final class VersionCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
        return 0;
    }
}
