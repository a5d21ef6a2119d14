package dev.sluice.job.archive;

import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.replay.LineBytes;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;

/**
 * Factory of writers of verdicts as {@code classify} writes them. Each file has a header line, then
 * a line for each packet.
 */
record TsvVerdicts(List<String> captures, ArchiveRules rules)
        implements BulkWriter.Factory<CapturePiece> {

    @Override
    public BulkWriter<CapturePiece> create(FSDataOutputStream out) throws IOException {
        VerdictText text =
                new VerdictText(captures, rules.answers(), rules.rules().assumed(), rules.stages());
        return new TextWriter(
                out, text.titles(), piece -> text.lines(piece.packets(), piece.verdicts()));
    }

    /** Writer of lines of text below a header line. */
    static final class TextWriter implements BulkWriter<CapturePiece> {
        private final FSDataOutputStream out;
        private final Function<CapturePiece, LineBytes> lines;

        /**
         * Writes the titles.
         *
         * @param lines conversion of a piece
         */
        TextWriter(
                FSDataOutputStream out, LineBytes titles, Function<CapturePiece, LineBytes> lines)
                throws IOException {
            this.out = out;
            this.lines = lines;
            titles.writeTo(out);
        }

        @Override
        public void addElement(CapturePiece piece) throws IOException {
            lines.apply(piece).writeTo(out);
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
