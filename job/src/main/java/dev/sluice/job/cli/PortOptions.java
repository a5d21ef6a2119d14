package dev.sluice.job.cli;

import dev.sluice.job.importers.SwitchPorts;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the ports of a switch. */
final class PortOptions {
    @Option(
            names = "--ports",
            paramLabel = "FILE",
            description = {
                "Names of switch ports that OpenFlow flows use: lines NAME NUMBER, or the output of",
                "ovs-ofctl show."
            })
    private @Nullable Path file;

    /** The file that was named. */
    @Nullable Path file() {
        return file;
    }

    /** The ports; none but those of OpenFlow where no file is named. */
    SwitchPorts read() {
        return file == null ? SwitchPorts.NONE : SwitchPorts.read(file);
    }
}
