package dev.sluice.job.cli;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The captures that a command reads. */
final class CaptureArguments {
    @Parameters(
            arity = "1..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4, or patterns in quotes as 'day/**/*.pcap'.")
    List<Path> files = List.of();
}
