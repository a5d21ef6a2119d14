package dev.sluice.job.cli;

import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine.Command;

/** {@code sluice test}, which the launcher of a checkout does itself; it is here for help. */
@Command(
        name = "test",
        description = {
            "Builds Sluice and runs its tests, from a checkout; 'sluice test --help' lists the options.",
            ""
        })
final class TestCommand extends SluiceCommand {
    @Override
    public Integer call() {
        throw new SluiceException(
                "tests are run from the sources; type ./sluice test in a checkout of Sluice");
    }
}
