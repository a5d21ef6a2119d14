package dev.sluice.job.archive;

import dev.sluice.job.EscapedText;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.VerdictLine;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;

/**
 * Factory of writers of dead letters, a line each: {@code capture packet time_ns reason}. A capture
 * that did not end cleanly has a line without packet and time.
 */
final class TsvDeadLetters implements BulkWriter.Factory<CapturePiece> {
    static final String TITLES = "capture\tpacket\ttime_ns\treason\n";

    private static final long serialVersionUID = 1L;
    private static final int LINE_BYTES = 256;

    private final List<String> captures;

    TsvDeadLetters(List<String> captures) {
        this.captures = captures.stream().map(EscapedText::cell).toList();
    }

    @Override
    public BulkWriter<CapturePiece> create(FSDataOutputStream out) throws IOException {
        return new TsvVerdicts.TextWriter(
                out, new LineBytes(LINE_BYTES).append(TITLES), this::lines);
    }

    private LineBytes lines(CapturePiece piece) {
        LineBytes text = new LineBytes(LINE_BYTES);
        CaptureBatch packets = piece.packets();
        byte[] capture = LineBytes.utf8(captures.get(packets.capture()));
        for (int i = 0; i < packets.packets(); i++) {
            String reason = packets.reason(i);
            if (reason != null) {
                VerdictLine.packet(
                        text, capture, packets.number(i), packets.timeLow(i), packets.timeHigh(i));
                text.append(EscapedText.cell(reason)).append('\n');
            }
        }
        CaptureEnd end = piece.end();
        if (end != null && !end.isClean()) {
            text.append(capture).append("\t\t\t");
            text.append(EscapedText.cell(end.describe("capture"))).append('\n');
        }
        return text;
    }
}
