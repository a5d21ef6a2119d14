package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.replay.Progress;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice headers}: what the parser saw. */
@Command(
        name = "headers",
        description = {
            "Prints what the parser saw in captures: one line a packet, tab-separated, with a header line. "
                    + "Of several captures the first column names the capture.",
            "How each capture ended goes to stderr. Exit status 1 if one did not end cleanly or could not be read.",
            ""
        })
final class HeadersCommand extends SluiceCommand {
    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();

    @Option(names = "--count", description = "Print only how many packets were read and how fast.")
    private boolean count;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    @Override
    public Integer call() {
        if (json.isGiven() && !count) {
            throw new UsageException(
                    "--json goes with --count: lines of packets are for programs as they are");
        }
        List<Path> files = captures.files();
        OutputPath.requireOtherThanStandardOutput(files);
        CaptureSource.requireOneStandardInput(files);
        // Lines on a terminal are progress enough, and a log wants none of it.
        boolean quiet = !Boolean.getBoolean("sluice.terminal") || Console.isTerminal() && !count;
        try (Progress progress = quiet ? null : new Progress(err(), "reading")) {
            HeaderListing listing =
                    new HeaderListing(
                            files,
                            headers.parsing(),
                            count,
                            json.isGiven(),
                            progress,
                            out(),
                            err());
            return listing.print() ? 0 : 1;
        }
    }
}
