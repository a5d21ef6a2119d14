package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.connector.file.src.util.RecordAndPosition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureFormatTest {
    private static final Configuration CONFIG = new Configuration();

    @TempDir Path folder;

    private Path file = Path.of("");
    private CaptureFormat format =
            new CaptureFormat(
                    List.of(), HeaderLayout.complete(), ParserOptions.DEFAULTS, null, null);
    private FileSourceSplit split =
            new FileSourceSplit("0", new org.apache.flink.core.fs.Path("/x"), 0, 0, 0, 0);

    @BeforeEach
    void capture() throws IOException {
        file = folder.resolve("long.pcap");
        Files.write(file, MadeCaptures.pcap(20));
        List<CaptureFile> files = CaptureGlob.expand(List.of(file.toString()));
        format =
                new CaptureFormat(
                        files, HeaderLayout.complete(), ParserOptions.DEFAULTS, null, null);
        split =
                new FileSourceSplit(
                        "0", files.get(0).path(), 0, Files.size(file), 0, Files.size(file));
    }

    /** What a piece is, and where its reader stands behind it. */
    private record Seen(
            long first, int packets, int headers, boolean end, CheckpointedPosition at) {}

    private static List<Seen> read(BulkFormat.Reader<CapturePiece> reader, int most)
            throws IOException {
        List<Seen> seen = new ArrayList<>();
        try (reader) {
            BulkFormat.RecordIterator<CapturePiece> pieces = reader.readBatch();
            while (pieces != null && seen.size() < most) {
                RecordAndPosition<CapturePiece> next = pieces.next();
                assertNotNull(next);
                CaptureBatch packets = next.getRecord().packets();
                seen.add(
                        new Seen(
                                packets.number(0),
                                packets.packets(),
                                packets.headers().size(),
                                next.getRecord().end() != null,
                                new CheckpointedPosition(
                                        next.getOffset(), next.getRecordSkipCount())));
                assertNull(pieces.next());
                pieces.releaseBatch();
                pieces = reader.readBatch();
            }
        }
        return seen;
    }

    @Test
    void piecesFollowEachOtherAndTheLastSaysHowTheCaptureEnded() throws IOException {
        List<Seen> all = read(format.createReader(CONFIG, split), Integer.MAX_VALUE);
        long next = 1;
        int dead = 0;
        for (Seen piece : all) {
            assertEquals(next, piece.first);
            next += piece.packets;
            dead += piece.packets - piece.headers;
            assertEquals(next - 1, piece.at.getOffset());
            assertEquals(next - 1 == MadeCaptures.LONG, piece.end);
        }
        assertEquals(MadeCaptures.LONG, next - 1);
        assertEquals(20, dead);
        assertEquals(CaptureHits.BATCH, all.get(0).packets);
    }

    @Test
    void aRestoredReaderGoesOnBehindEachPieceAndRepeatsNoEnd() throws IOException {
        List<Seen> all = read(format.createReader(CONFIG, split), Integer.MAX_VALUE);
        for (int i = 0; i < all.size(); i++) {
            FileSourceSplit left = split.updateWithCheckpointedPosition(all.get(i).at);
            assertEquals(
                    all.subList(i + 1, all.size()),
                    read(format.restoreReader(CONFIG, left), Integer.MAX_VALUE));
        }
    }

    @Test
    void aCaptureThatHasBecomeShorterIsAFailure() throws IOException {
        FileSourceSplit left =
                split.updateWithCheckpointedPosition(new CheckpointedPosition(5_000, 0));
        Files.write(file, MadeCaptures.pcap(1));
        IOException shorter =
                assertThrows(IOException.class, () -> format.restoreReader(CONFIG, left));
        assertTrue(shorter.getMessage().contains("5000 packets"), shorter.getMessage());
    }

    @Test
    void anotherCaptureThanThoseOfTheJobIsAFailure() {
        FileSourceSplit other =
                new FileSourceSplit(
                        "1", new org.apache.flink.core.fs.Path("file:///x"), 0, 1, 0, 1);
        assertThrows(IOException.class, () -> format.createReader(CONFIG, other));
    }

    private static HeaderBatch headers(BulkFormat.Reader<CapturePiece> reader) throws IOException {
        HeaderBatch all = new HeaderBatch(HeaderLayout.complete(), 2_000);
        try (reader) {
            BulkFormat.RecordIterator<CapturePiece> pieces = reader.readBatch();
            while (pieces != null) {
                HeaderBatch some =
                        Objects.requireNonNull(pieces.next()).getRecord().packets().headers();
                for (int i = 0; i < some.size(); i++) {
                    all.add(words(some, i));
                }
                pieces.releaseBatch();
                pieces = reader.readBatch();
            }
        }
        return all;
    }

    private static int[] words(HeaderBatch headers, int row) {
        int[] words = new int[HeaderWord.COUNT];
        for (int w = 0; w < words.length; w++) {
            words[w] = headers.word(w, row);
        }
        return words;
    }

    /** The office's pings are fragments: a restart falls between all parts of them. */
    @Test
    void aRestoredReaderFollowsTheDatagramsThatBeganBeforeItsPosition() throws IOException {
        Files.write(file, MadeCaptures.pcap(1));
        HeaderBatch whole = headers(format.createReader(CONFIG, split));
        int followed = 0;
        for (int packets = 0; packets < 1_050; packets++) {
            HeaderBatch rest =
                    headers(
                            format.restoreReader(
                                    CONFIG,
                                    split.updateWithCheckpointedPosition(
                                            new CheckpointedPosition(packets, 0))));
            int[] first = words(rest, 0);
            assertArrayEquals(words(whole, whole.size() - rest.size()), first, "behind " + packets);
            boolean later = Field.FRAGMENT.extract(first[HeaderWord.IP]) == Field.FRAGMENT_LATER;
            int flow = Field.FLOW_PRESENT.extract(first[HeaderWord.TCP_FLAGS]);
            followed += later ? flow : 0;
        }
        assertTrue(followed > 2, followed + " restarts before a later fragment");
    }
}
