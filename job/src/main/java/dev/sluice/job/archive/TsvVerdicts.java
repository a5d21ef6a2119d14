package dev.sluice.job.archive;

import dev.sluice.job.classify.VerdictText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;

/** Writes verdicts as {@code classify} does: the titles first in each file, a line a packet. */
final class TsvVerdicts implements BulkWriter.Factory<CapturePiece> {
    private static final long serialVersionUID = 1L;

    private final List<String> captures;
    private final ArchiveRules rules;

    TsvVerdicts(List<String> captures, ArchiveRules rules) {
        this.captures = captures;
        this.rules = rules;
    }

    @Override
    public BulkWriter<CapturePiece> create(FSDataOutputStream out) throws IOException {
        VerdictText text = new VerdictText(captures, rules.rules());
        return new TextWriter(
                out, VerdictText.titles(), piece -> text.lines(piece.packets(), piece.verdicts()));
    }

    /** Lines of text behind a line of titles. */
    static final class TextWriter implements BulkWriter<CapturePiece> {
        private final FSDataOutputStream out;
        private final Lines lines;

        TextWriter(FSDataOutputStream out, String titles, Lines lines) throws IOException {
            this.out = out;
            this.lines = lines;
            write(titles);
        }

        /** What is written of a piece. */
        interface Lines {
            CharSequence of(CapturePiece piece);
        }

        private void write(CharSequence text) throws IOException {
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void addElement(CapturePiece piece) throws IOException {
            write(lines.of(piece));
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void finish() throws IOException {
            flush(); // the sink closes the stream
        }
    }
}
