package dev.sluice.job.cli;

import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine.Command;

/** {@code sluice package}, which the launcher of a checkout does itself; it is here for help. */
@Command(
        name = "package",
        description = {
            "Makes an archive of Sluice for machines that have only a Java runtime, from a checkout; 'sluice package --help' tells more.",
            ""
        })
final class PackageCommand extends SluiceCommand {
    @Override
    public Integer call() {
        throw new SluiceException(
                "the archive is made from the sources; type ./sluice package in a checkout of Sluice");
    }
}
