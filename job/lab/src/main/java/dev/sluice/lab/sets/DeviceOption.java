package dev.sluice.lab.sets;

import dev.sluice.job.cli.Range;
import picocli.CommandLine.Option;

/** The option by which a command of the laboratory is told its one device. */
public final class DeviceOption {
    @Option(
            names = "--gpu",
            paramLabel = "DEVICE",
            defaultValue = "0",
            description = "Number of the device (default ${DEFAULT-VALUE}).")
    @Range
    private int number;

    /** Its number, as 'gpu info' has it. */
    public int number() {
        return number;
    }
}
