package dev.sluice.job.cli;

import dev.sluice.job.Amount;
import dev.sluice.job.EscapedText;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.importers.TextFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice headers}: what the parser saw. */
@Command(
        name = "headers",
        description = {
            "Prints what the parser saw in captures: one line a packet, tab-separated, with a header line. "
                    + "Of several captures the first column names the capture.",
            "How each capture ended goes to stderr. Exit status 1 if one did not end cleanly or could not be read.",
            ""
        })
final class HeadersCommand implements Callable<Integer> {
    private static final int FLUSH_AT = 1 << 16;

    @Spec private CommandSpec spec;

    @Mixin private CaptureArguments captures = new CaptureArguments();

    @Option(names = "--count", description = "Print only how many packets were read and how fast.")
    private boolean count;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private HeaderDepthOption headers = new HeaderDepthOption();

    @Override
    public Integer call() {
        if (json.isGiven() && !count) {
            throw new UsageException(
                    "--json goes with --count: lines of packets are for programs as they are");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        StringBuilder text = new StringBuilder(FLUSH_AT + 1024);
        boolean titled = count;
        OutputPath.requireOtherThanStandardOutput(captures.files());
        boolean several = captures.files().size() > 1;
        boolean clean = true;
        HeaderDepth depth = headers.depth();
        PacketParser parser = new PacketParser(depth);
        ParsedPacket packet = new ParsedPacket();
        for (Path file : captures.files()) {
            String name = EscapedText.cell(file.toString());
            long start = System.nanoTime();
            long classified = 0;
            try (CaptureReader capture = CaptureReader.open(file)) {
                if (!titled) {
                    text.append(several ? "capture\t" : "")
                            .append(HeaderTable.columns(depth))
                            .append('\n');
                    titled = true;
                }
                while (capture.next()) {
                    parser.parse(capture, packet);
                    if (count) {
                        classified += packet.status().isClassified() ? 1 : 0;
                        continue;
                    }
                    if (several) {
                        text.append(name).append('\t');
                    }
                    HeaderTable.append(text, capture, packet);
                    if (depth == HeaderDepth.INNER) {
                        HeaderTable.appendTunnel(text, packet);
                    }
                    text.append('\n');
                    if (text.length() >= FLUSH_AT) {
                        out.append(text);
                        text.setLength(0);
                        if (out.checkError()) {
                            return 0; // the reader of our output has gone
                        }
                    }
                }
                out.append(text);
                text.setLength(0);
                if (count) {
                    double seconds = (System.nanoTime() - start) / 1e9;
                    printCount(file, capture, classified, seconds);
                }
                out.flush();
                err.println(capture.end().describe(file.toString()));
                err.flush();
                clean &= capture.end().isClean();
            } catch (IOException e) {
                out.append(text);
                text.setLength(0);
                out.flush();
                err.println("sluice: " + TextFiles.describe("capture", file, e));
                err.flush();
                clean = false; // the others are read
            }
        }
        return clean ? 0 : 1;
    }

    private void printCount(Path file, CaptureReader capture, long classified, double seconds) {
        PrintWriter out = spec.commandLine().getOut();
        long dead = capture.packet() - classified;
        if (json.isGiven()) {
            JsonOption.print(
                    out,
                    JsonOption.object()
                            .put("capture", file.toString())
                            .put("packets", capture.packet())
                            .put("classified", classified)
                            .put("dead_letters", dead)
                            .put("end", capture.end().kind().label())
                            .put("seconds", seconds)
                            .put("packets_per_second", capture.packet() / seconds));
            return;
        }
        out.printf(
                "%s: %s, %,d to classify, %s, %.2f s, %.2f M packets/s%n",
                file,
                Amount.of(capture.packet(), "packet"),
                classified,
                Amount.of(dead, "dead letter"),
                seconds,
                capture.packet() / seconds / 1e6);
    }
}
