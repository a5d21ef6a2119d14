package dev.sluice.lab.load;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;

/**
 * The headers of captures, one capture after the other, without the packets that cannot be
 * classified. In memory for one record of a capture. Not thread-safe.
 */
public final class CaptureHeaders implements HeaderSource {
    private final List<Path> files;
    private final ReadShare share;
    private final PacketParser parser;
    private final ParsedPacket packet = new ParsedPacket();
    private String remark = "";

    /**
     * Names the files.
     *
     * @param parsing what is taken for the header of a packet
     */
    public CaptureHeaders(List<Path> files, ParserOptions parsing) {
        this(files, parsing, new ReadShare(List.of()));
    }

    /** As the other, telling how much of the files is read. */
    CaptureHeaders(List<Path> files, ParserOptions parsing, ReadShare share) {
        this.files = files;
        this.share = share;
        parser = new PacketParser(parsing);
    }

    @Override
    public void pass(Sink sink) {
        StringJoiner remarks = new StringJoiner("; ");
        long given = 0;
        long leftOut = 0;
        boolean wanted = true;
        for (int i = 0; i < files.size() && wanted; i++) {
            Path file = files.get(i);
            try (CaptureReader capture = CaptureReader.open(file, share)) {
                while (wanted && capture.next()) {
                    parser.parse(capture, packet);
                    if (!packet.status().isClassified()) {
                        leftOut++;
                        continue;
                    }
                    given++;
                    int length = (int) Math.min(Integer.MAX_VALUE, capture.wireLength());
                    wanted = sink.header(packet.words(), length);
                }
                CaptureEnd end = wanted ? capture.end() : null;
                if (end != null && !end.isClean()) {
                    remarks.add(end.describe(file.toString()) + ": what is behind it is left out");
                }
            } catch (IOException e) {
                throw new SluiceException(TextFiles.describe("capture", file, e), e);
            }
        }
        if (given == 0) {
            throw new SluiceException(
                    "%s: of %s none can be classified; see sluice headers for why"
                            .formatted(name(), Amount.of(leftOut, "packet")));
        }
        if (leftOut > 0) {
            remarks.add(
                    "%s that cannot be classified are left out"
                            .formatted(Amount.of(leftOut, "packet")));
        }
        remark = remarks.toString();
    }

    private String name() {
        return files.size() == 1 ? files.get(0).toString() : Amount.of(files.size(), "capture");
    }

    @Override
    public String remark() {
        return remark;
    }
}
