package dev.sluice.lab.load;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.LongConsumer;

/** Reader of the headers of captures, without the packets that cannot be classified. */
public final class CaptureHeaders {
    /** Headers from one report to the next. */
    private static final int REPORT = 1 << 16;

    private CaptureHeaders() {}

    /**
     * Reads the headers of captures, one capture after the other.
     *
     * @param parsing parts of a packet that make its header
     * @param share gets the part of the files that is read
     * @param most headers that are read
     * @param listener gets the count every 65,536 headers
     * @throws SluiceException if a file cannot be read, or no packet can be classified
     */
    public static LoadHeaders read(
            List<Path> files,
            ParserOptions parsing,
            ReadShare share,
            long most,
            LongConsumer listener) {
        StringJoiner remarks = new StringJoiner("; ");
        List<int[]> headers = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        PacketParser parser = new PacketParser(parsing);
        ParsedPacket packet = new ParsedPacket();
        long leftOut = 0;
        for (int i = 0; i < files.size() && headers.size() < most; i++) {
            Path file = files.get(i);
            try (CaptureReader capture = Captures.open(file, share)) {
                while (headers.size() < most && capture.next()) {
                    parser.parse(capture, packet);
                    if (!packet.status().isClassified()) {
                        leftOut++;
                        continue;
                    }
                    headers.add(packet.words().clone());
                    lengths.add((int) Math.min(Integer.MAX_VALUE, capture.wireLength()));
                    if (headers.size() % REPORT == 0) {
                        listener.accept(headers.size());
                    }
                }
                CaptureEnd end = headers.size() < most ? capture.end() : null;
                if (end != null && !end.isClean()) {
                    remarks.add(end.describe(file.toString()) + ": what is behind it is left out");
                }
            } catch (IOException e) {
                throw new SluiceException(TextFiles.describe("capture", file, e), e);
            }
        }
        if (headers.isEmpty()) {
            String name =
                    files.size() == 1 ? files.get(0) + "" : Amount.of(files.size(), "capture");
            throw new SluiceException(
                    "%s: of %s none can be classified; see sluice headers for why"
                            .formatted(name, Amount.of(leftOut, "packet")));
        }
        if (leftOut > 0) {
            remarks.add(
                    "%s that cannot be classified are left out"
                            .formatted(Amount.of(leftOut, "packet")));
        }
        return new LoadHeaders(
                HeaderTrace.of(headers),
                lengths.stream().mapToInt(Integer::intValue).toArray(),
                remarks.toString());
    }
}
