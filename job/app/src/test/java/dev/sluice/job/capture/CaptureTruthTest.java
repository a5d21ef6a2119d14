package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every capture of the shared collection against its independent truth, line by line. */
class CaptureTruthTest {
    @Test
    void everyPacketAndEveryEndAgreesWithTheTruth() throws IOException {
        Path captures = SharedData.folder("captures");
        List<String> manifest = Files.readAllLines(captures.resolve("MANIFEST.tsv"));
        List<String> wrong = new ArrayList<>();
        long packets = 0;
        for (String row : manifest.subList(1, manifest.size())) {
            String[] cells = row.split("\t", -1);
            String name = cells[0];
            List<String> truth =
                    SharedData.gzipLines(captures.resolve("truth/" + name + ".tsv.gz"));
            List<String> seen = read(captures.resolve("files/" + name));
            String end = seen.remove(seen.size() - 1);
            boolean readNow = cells[3].equals("bad-magic") && name.matches(".*\\.(zst|lz4)");
            if (readNow) {
                assertEquals("eof", end, name);
                continue; // the truth's reader does not unpack it
            }
            if (!end.equals(cells[3])) {
                wrong.add(name + ": end " + end + ", truth " + cells[3]);
            }
            // Inflaters differ in how much they give of a cut stream: compare what both have.
            boolean cutGzip = cells[3].equals("gz-truncated") || cells[3].equals("gz-corrupt");
            int lines =
                    cutGzip
                            ? Math.min(seen.size(), truth.size())
                            : Math.max(seen.size(), truth.size());
            for (int i = 0; i < lines; i++) {
                String t = i < truth.size() ? truth.get(i) : "(none)";
                String s = i < seen.size() ? seen.get(i) : "(none)";
                if (!t.equals(s) && !isReadFurther(t, s)) {
                    wrong.add(name + "\n  truth " + t + "\n  seen  " + s);
                }
            }
            packets += lines - 1;
        }
        assertEquals(List.of(), wrong.stream().limit(40).toList(), wrong.size() + " lines differ");
        assertTrue(packets > 10_000, "only " + packets + " packets were compared");
    }

    /** Whether they differ only in that the truth's reader ends at a link type or a tag. */
    private static boolean isReadFurther(String truth, String seen) {
        String[] t = truth.split("\t", -1);
        String[] s = seen.split("\t", -1);
        return t.length == s.length
                && Arrays.equals(t, 0, 7, s, 0, 7)
                && (t[21].equals("unsupported-link")
                        || t[21].equals("not-ip") && LinkTag.of(Integer.decode(t[9])) != null);
    }

    static List<String> read(Path file) throws IOException {
        List<String> lines = new ArrayList<>(List.of(HeaderTable.COLUMNS));
        PacketParser parser = new PacketParser();
        ParsedPacket packet = new ParsedPacket();
        try (CaptureReader capture = Captures.open(file)) {
            while (capture.next()) {
                parser.parse(
                        capture.bytes(),
                        capture.dataAt(),
                        capture.capturedLength(),
                        capture.wireLength(),
                        capture.linkType(),
                        packet);
                StringBuilder line = new StringBuilder();
                HeaderTable.append(line, capture, packet);
                lines.add(line.toString());
            }
            lines.add(capture.end().kind().label());
        }
        return lines;
    }
}
