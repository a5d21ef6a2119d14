package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.local.LocalDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A full disk under files of verdicts. */
class FolderWritersTest {
    private static final IOException FULL = new IOException("No space left on device");
    private static final IOException OTHER = new IOException("Input/output error");

    @TempDir Path temporary;

    /** Fails in all but its creation. */
    private record Failing(IOException e) implements BulkWriter<String> {
        @Override
        public void addElement(String element) throws IOException {
            throw e;
        }

        @Override
        public void flush() throws IOException {
            throw e;
        }

        @Override
        public void finish() throws IOException {
            throw e;
        }
    }

    private BulkWriter<String> writer(BulkWriter.Factory<String> writers) throws IOException {
        try (FSDataOutputStream out =
                new LocalDataOutputStream(temporary.resolve("file").toFile())) {
            return new FolderWriters<>("file:/verdicts", writers).create(out);
        }
    }

    private static void assertNamed(Executable step) {
        SluiceException e = assertThrows(SluiceException.class, step);
        assertEquals(
                "no space left for verdicts in file:/verdicts; free some, or name a folder on a larger disk with --verdicts",
                e.getMessage());
        assertSame(FULL, e.getCause());
    }

    @Test
    void theFolderIsNamedWhereverItsDiskIsFull() throws IOException {
        BulkWriter<String> full = writer(out -> new Failing(FULL));
        assertNamed(() -> full.addElement("line"));
        assertNamed(full::flush);
        assertNamed(full::finish);
        assertNamed(
                () ->
                        writer(
                                out -> {
                                    throw FULL;
                                }));
    }

    @Test
    void anotherFailureStaysAsItIs() throws IOException {
        BulkWriter<String> broken = writer(out -> new Failing(OTHER));
        assertSame(OTHER, assertThrows(IOException.class, () -> broken.addElement("line")));
        assertSame(OTHER, assertThrows(IOException.class, broken::flush));
        assertSame(OTHER, assertThrows(IOException.class, broken::finish));
    }
}
