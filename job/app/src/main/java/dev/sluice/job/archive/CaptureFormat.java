package dev.sluice.job.archive;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.capture.PacketParser;
import dev.sluice.job.capture.ParsedPacket;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.connector.file.src.util.SingletonResultIterator;
import org.jspecify.annotations.Nullable;

/**
 * Format by which Flink's file source reads captures.
 *
 * <p>A split is a file, whose packets are numbered. The position after a piece is the number of its
 * last packet; 1 further record is skipped once the capture's end was emitted. A restored reader
 * reads the packets up to its position again and omits them.
 */
class CaptureFormat implements BulkFormat<CapturePiece, FileSourceSplit> {
    private static final long serialVersionUID = 1L;

    /** Indexes of the captures by their location. */
    private final Map<String, Integer> captures = new HashMap<>();

    private final long layoutBits;
    private final ParserOptions parsing;
    private final @Nullable Integer inPort;

    /** Used by the source's thread alone. */
    private final @Nullable CapturedFacts facts;

    /**
     * Creates a format for these captures and no others.
     *
     * @param layout the header words that the rules use
     * @param parsing which header of a packet is classified
     * @param inPort ingress port of all packets; null: unknown
     * @param facts what captures tell beside headers; null: nothing
     */
    CaptureFormat(
            List<CaptureFile> captures,
            HeaderLayout layout,
            ParserOptions parsing,
            @Nullable Integer inPort,
            @Nullable CapturedFacts facts) {
        for (int i = 0; i < captures.size(); i++) {
            this.captures.put(captures.get(i).location(), i);
        }
        this.layoutBits = layout.wordBits();
        this.parsing = parsing;
        this.inPort = inPort;
        this.facts = facts;
    }

    @Override
    public BulkFormat.Reader<CapturePiece> createReader(Configuration config, FileSourceSplit split)
            throws IOException {
        return open(split, 0);
    }

    @Override
    public BulkFormat.Reader<CapturePiece> restoreReader(
            Configuration config, FileSourceSplit split) throws IOException {
        CheckpointedPosition position =
                split.getReaderPosition().orElse(new CheckpointedPosition(0, 0));
        if (position.getRecordsAfterOffset() > 0) {
            return new Ended();
        }
        return open(split, Math.max(0, position.getOffset()));
    }

    private Reader open(FileSourceSplit split, long before) throws IOException {
        Integer index = captures.get(split.path().toString());
        if (index == null) {
            throw new IOException(
                    "%s is none of the captures of the job's start; name the same captures when the job resumes"
                            .formatted(split.path()));
        }
        CaptureReader capture = Captures.open(split.path().getFileSystem().open(split.path()));
        Reader reader = new Reader(capture, index);
        try {
            reader.skip(before);
            return reader;
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    private CapturePiece newPiece() {
        HeaderBatch headers =
                new HeaderBatch(HeaderLayout.ofWordBits(layoutBits), CaptureHits.BATCH);
        return new CapturePiece(new CaptureBatch(headers, parsing, inPort, facts));
    }

    @Override
    public boolean isSplittable() {
        return false;
    }

    @Override
    public TypeInformation<CapturePiece> getProducedType() {
        return CapturePiece.TYPE;
    }

    /** Reader of one capture, used by the source's thread; the task's thread gives pieces back. */
    private final class Reader implements BulkFormat.Reader<CapturePiece> {
        private final CaptureReader capture;
        private final int index;
        private final Queue<CapturePiece> free = new ConcurrentLinkedQueue<>();
        private boolean ended;

        Reader(CaptureReader capture, int index) {
            this.capture = capture;
            this.index = index;
        }

        /** Reads packets again, which gives the capture's datagrams those that they begin. */
        void skip(long packets) throws IOException {
            PacketParser parser = new PacketParser(parsing);
            ParsedPacket packet = new ParsedPacket();
            for (long i = 0; i < packets; i++) {
                if (!capture.next()) {
                    throw new IOException(
                            "%d packets of a capture were judged, but it has %d by now; captures must not change while the job runs"
                                    .formatted(packets, i));
                }
                parser.parse(capture, packet);
            }
        }

        @Override
        public BulkFormat.@Nullable RecordIterator<CapturePiece> readBatch() throws IOException {
            if (ended) {
                return null;
            }
            CapturePiece known = free.poll();
            CapturePiece piece = known == null ? newPiece() : known;
            CaptureBatch packets = piece.packets();
            packets.clear(index);
            while (!ended && !packets.isFull()) {
                if (capture.next()) {
                    packets.add(capture);
                } else {
                    ended = true;
                }
            }
            piece.end(ended ? capture.end() : null);
            var one = new SingletonResultIterator<CapturePiece>(() -> free.add(piece));
            one.set(piece, capture.packet(), ended ? 1 : 0);
            return one;
        }

        @Override
        public void close() throws IOException {
            capture.close();
        }
    }

    /** Reader of a capture that was read to its end. */
    private static final class Ended implements BulkFormat.Reader<CapturePiece> {
        @Override
        public BulkFormat.@Nullable RecordIterator<CapturePiece> readBatch() {
            return null;
        }

        @Override
        public void close() {}
    }
}
