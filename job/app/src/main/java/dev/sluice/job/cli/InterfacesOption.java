package dev.sluice.job.cli;

import dev.sluice.job.hits.InterfaceMap;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the interfaces of captures as a policy does. */
final class InterfacesOption {
    @Option(
            names = "--interfaces",
            paramLabel = "FILE",
            description =
                    "Names that a policy has for the interfaces of captures: lines CAPTURED NAME, where CAPTURED is the name or number of an interface in a pcapng file, the kernel's number of it, or the number of --in-port. Packets came in by an interface that is listed, unless their capture states that they leave by it.")
    private @Nullable Path file;

    boolean isGiven() {
        return file != null;
    }

    /** The names; none where no file is named. */
    InterfaceMap read() {
        return file == null ? InterfaceMap.NONE : InterfaceMap.read(file);
    }
}
