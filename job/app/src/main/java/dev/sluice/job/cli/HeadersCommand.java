package dev.sluice.job.cli;

import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.replay.Progress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
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

    @ArgGroup(exclusive = false)
    private @Nullable Count counted;

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private static final class Count {
        @Option(
                names = "--count",
                required = true,
                description = "Print only how many packets were read and how fast.")
        @SuppressWarnings("UnusedVariable") // the parser asks for it
        private boolean count;

        @Option(names = "--json", description = JsonOption.DESCRIPTION)
        private boolean json;
    }

    @Override
    public Integer call() {
        List<Path> files = captures.files;
        OutputPath.requireOtherThanStandardOutput(files);
        CaptureSource.requireOneStandardInput(files);
        // Lines on a terminal are progress enough, and a log wants none of it.
        boolean quiet =
                !Boolean.getBoolean("sluice.terminal") || Console.isTerminal() && counted == null;
        try (Progress progress = quiet ? null : new Progress(err(), "reading")) {
            HeaderListing listing =
                    new HeaderListing(
                            files,
                            headers.parsing(),
                            counted != null,
                            counted != null && counted.json,
                            progress,
                            out(),
                            err());
            return listing.print() ? 0 : 1;
        }
    }
}
