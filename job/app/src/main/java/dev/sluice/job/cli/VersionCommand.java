package dev.sluice.job.cli;

import picocli.CommandLine.Command;

/** {@code sluice version}: what {@code --version} prints. */
@Command(
        name = "version",
        description = {"Prints the version of Sluice.", ""})
final class VersionCommand extends SluiceCommand {
    @Override
    public Integer call() {
        spec().root().commandLine().printVersionHelp(out());
        return 0;
    }
}
