package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.EscapedText;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.table.LinesOut;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.PacketField;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The listing of captures' headers, or of their counts.
 *
 * @param count whether only counts are printed
 * @param json whether they are printed for a program
 * @param progress null: none is shown
 */
record HeaderListing(
        List<Path> captures,
        ParserOptions parsing,
        boolean count,
        boolean json,
        @Nullable Progress progress,
        PrintWriter out,
        PrintWriter err) {
    /** Prints all captures; whether each ended cleanly, with headers that could be read. */
    boolean print() {
        LinesOut lines = LinesOut.all(out);
        ReadShare share = new ReadShare(captures);
        boolean titled = count;
        boolean several = captures.size() > 1;
        boolean clean = true;
        List<PacketField> more = HeaderTable.more(parsing);
        PacketParser parser = new PacketParser(parsing);
        ParsedPacket packet = new ParsedPacket();
        long before = 0;
        for (Path file : captures) {
            String name = several ? EscapedText.cell(file.toString()) + "\t" : "";
            long start = System.nanoTime();
            Found found = new Found();
            try (CaptureReader capture = open(file, share)) {
                if (!titled) {
                    lines.head((several ? "capture\t" : "") + HeaderTable.columns(parsing));
                    titled = true;
                }
                while (capture.next()) {
                    parser.parse(capture, packet);
                    found.add(capture, packet);
                    if (progress != null && (capture.packet() & 0xffff) == 0) {
                        progress.at(before + capture.packet(), share.part());
                    }
                    if (count) {
                        continue;
                    }
                    StringBuilder line = lines.begun().append(name);
                    HeaderTable.append(line, capture, packet);
                    HeaderTable.append(line, more, packet);
                    if (!lines.end()) {
                        return true; // the reader of our output has gone
                    }
                }
                lines.flush();
                if (count) {
                    double seconds = (System.nanoTime() - start) / 1e9;
                    printCount(file, capture, found, seconds);
                }
                out.flush();
                before += capture.packet();
                if (progress != null) {
                    progress.at(before, before, file.equals(captures.get(captures.size() - 1)));
                }
                clean &= tell(file, capture, found);
            } catch (IOException e) {
                lines.flush();
                err.println("sluice: " + TextFiles.describe("capture", file, e));
                clean = false; // the others are read
            }
        }
        return clean;
    }

    /** Counts of the packets of a capture. */
    private static final class Found {
        private final ShutTunnels shut = new ShutTunnels();
        private long classified;
        private String firstReason = "";

        void add(CaptureReader capture, ParsedPacket packet) {
            shut.add(packet.shut());
            if (packet.status().isClassified()) {
                classified++;
            } else if (firstReason.isEmpty()) {
                firstReason = packet.status().reason(capture.linkType());
            }
        }
    }

    /** Tells how a capture ended; whether that was cleanly, and a header could be read. */
    private boolean tell(Path file, CaptureReader capture, Found found) {
        boolean unread = capture.packet() > 0 && found.classified == 0;
        if (unread) {
            err.printf(
                    "sluice: %s: no header could be read of %s, of the first because: %s; docs/captures.md lists the link types that are read%n",
                    file, Amount.of(capture.packet(), "packet"), found.firstReason);
        }
        if (!unread || !capture.end().isClean()) {
            err.println(capture.end().describe(file.toString()));
        }
        if (found.shut.sum() > 0) {
            err.println("sluice: " + file + ": " + found.shut.describe());
        }
        return !unread && capture.end().isClean();
    }

    private static CaptureReader open(Path file, ReadShare share) throws IOException {
        CaptureSource source = new CaptureSource(file);
        return source.isStandardInput() ? Captures.open(source.open()) : Captures.open(file, share);
    }

    private void printCount(Path file, CaptureReader capture, Found found, double seconds) {
        long dead = capture.packet() - found.classified;
        if (json) {
            ObjectNode told =
                    JsonOption.object()
                            .put("capture", file.toString())
                            .put("packets", capture.packet())
                            .put("classified", found.classified)
                            .put("dead_letters", dead)
                            .put("end", capture.end().kind().label())
                            .put("seconds", seconds)
                            .put("packets_per_second", capture.packet() / seconds);
            ObjectNode shutTunnels = told.putObject("shut_tunnels");
            found.shut.byLabel().forEach(shutTunnels::put);
            JsonOption.print(out, told);
            return;
        }
        out.printf(
                "%s: %s, %,d to classify, %s, %.2f s, %.2f M packets/s%n",
                file,
                Amount.of(capture.packet(), "packet"),
                found.classified,
                Amount.of(dead, "dead letter"),
                seconds,
                capture.packet() / seconds / 1e6);
    }
}
