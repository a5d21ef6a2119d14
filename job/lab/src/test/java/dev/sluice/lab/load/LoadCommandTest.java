package dev.sluice.lab.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code sluice load} refuses before it looks for a broker. */
class LoadCommandTest {
    /** Nobody listens there; whoever asks waits for longer than a test may take. */
    private static final String NOBODY = "localhost:1";

    @TempDir private Path folder;

    private static void assertRefused(int status, String text, Object... words) {
        List<Object> line = new ArrayList<>(List.of("load", "--bootstrap", NOBODY));
        line.addAll(List.of(words));
        Sluice run = Sluice.run(line.toArray());
        assertEquals(status, run.status(), run.err());
        assertEquals("", run.out());
        assertTrue(run.err().contains(text), run.err());
    }

    @Test
    void aLoadHasOneSource() throws Exception {
        Path trace = Files.writeString(folder.resolve("t"), "1 2 3 4 6\n");
        assertRefused(2, "name one of these");
        assertRefused(2, "name only one of these", "--trace", trace, "--rules", trace);
        assertRefused(2, "name only one of these", "--trace", trace, "a.pcap");
    }

    @Test
    void numbersThatCannotBeAreNamed() {
        assertRefused(2, "--rate fast is no number", "--trace", "t", "--rate", "fast");
        assertRefused(2, "--headers 0 is below 1", "--trace", "t", "--headers", "0");
        assertRefused(2, "--for 0s is zero", "--trace", "t", "--for", "0s");
        assertRefused(2, "--shards 0 is not in", "--trace", "t", "--shards", "0");
        assertRefused(2, "--block-size 9000 is not in", "--trace", "t", "--block-size", "9000");
        assertRefused(2, "1,048,576 headers at most", "--trace", "t", "--shards", "4096");
        assertRefused(2, "--producers 65 is not in 1..64", "--trace", "t", "--producers", "65");
        assertRefused(2, "--compression rar is unknown", "--trace", "t", "--compression", "rar");
    }

    @Test
    void boundsAreForTopicsThatAreCreated() {
        assertRefused(2, "--keep is for a topic that is created", "--trace", "t", "--keep", "1g");
        assertRefused(2, "--partitions is for a topic", "--trace", "t", "--partitions", "3");
        assertRefused(
                2,
                "--keep of 1,048,576 bytes is below 16m",
                "--trace",
                "t",
                "--create-topics",
                "--keep",
                "1m");
        assertRefused(
                2,
                "--partitions 0 is not in",
                "--trace",
                "t",
                "--create-topics",
                "--partitions",
                "0");
    }

    @Test
    void aSourceWithoutHeadersIsNamed() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty"));
        assertRefused(1, empty + ": holds no header", "--trace", empty);
        assertRefused(1, empty + ": is empty", "--rules", empty);
        assertRefused(1, "capture " + empty + ": empty-file", empty);
        Path none = folder.resolve("none");
        assertRefused(1, "trace " + none + " does not exist", "--trace", none);
        assertRefused(1, "capture " + none + " does not exist", none);
        assertRefused(
                1, "none.gz does not exist", TestData.office("office.pcapng.gz"), none + ".gz");
    }

    @Test
    void aCaptureWithoutAnythingToClassifyIsNamed() throws Exception {
        ByteBuffer pcap = ByteBuffer.allocate(24 + 16 + 4).order(ByteOrder.LITTLE_ENDIAN);
        pcap.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
        pcap.putInt(65_535).putInt(147); // a link type that nobody parses
        pcap.putInt(1).putInt(2).putInt(4).putInt(4).put("abcd".getBytes(UTF_8));
        Path capture = Files.write(folder.resolve("c.pcap"), pcap.array());
        assertRefused(1, capture + ": of 1 packet none can be classified", capture);
    }
}
