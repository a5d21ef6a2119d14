package dev.sluice.job.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the ingress port of captured packets. */
final class InPortOption {
    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets; captures do not state it.")
    @Range(to = 0xffff)
    @Nullable Integer number;
}
