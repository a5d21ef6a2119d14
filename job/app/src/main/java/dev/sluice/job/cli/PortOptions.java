package dev.sluice.job.cli;

import dev.sluice.policy.SwitchPorts;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the ports of a switch. */
final class PortOptions {
    @Option(
            names = "--ports",
            paramLabel = "FILE",
            description =
                    "Names of switch ports that OpenFlow flows use: lines NAME NUMBER, or the output of ovs-ofctl show.")
    private @Nullable Path file;

    /** Ports that were read; the file may be a pipe, and is read once. */
    private @Nullable SwitchPorts known;

    /** The file that was named. */
    @Nullable Path file() {
        return file;
    }

    /** The ports; none but those of OpenFlow where no file is named. */
    SwitchPorts read() {
        SwitchPorts ports = known;
        if (ports == null) {
            ports = file == null ? SwitchPorts.NONE : SwitchPorts.read(file);
            known = ports;
        }
        return ports;
    }
}
