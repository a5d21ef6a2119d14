package dev.sluice.lab.sets;

import dev.sluice.job.UsageException;
import picocli.CommandLine.Option;

/** The option by which a command of the laboratory is told its one device. */
public final class DeviceOption {
    @Option(
            names = "--gpu",
            paramLabel = "DEVICE",
            defaultValue = "0",
            description = "Number of the device (default ${DEFAULT-VALUE}).")
    private int number;

    /**
     * Checks it without asking the driver.
     *
     * @throws UsageException if no device has such a number
     */
    public void check() {
        UsageException.requireAtLeast("--gpu", number, 0);
    }

    /** Its number, as 'gpu info' has it. */
    public int number() {
        return number;
    }
}
