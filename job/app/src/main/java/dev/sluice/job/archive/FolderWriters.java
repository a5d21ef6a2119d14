package dev.sluice.job.archive;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Factory of file writers that name their folder if its disk is full.
 *
 * @param folder of the files
 * @param writers factory of the underlying writers
 */
record FolderWriters<T>(String folder, BulkWriter.Factory<T> writers)
        implements BulkWriter.Factory<T> {
    @Override
    public BulkWriter<T> create(FSDataOutputStream out) throws IOException {
        try {
            return new Writer<>(folder, writers.create(out));
        } catch (IOException e) {
            throw named(folder, e);
        }
    }

    private static IOException named(String folder, IOException e) {
        if (DiskSpace.isFull(e)) {
            throw new SluiceException(
                    "no space left for verdicts in %s; free some, or name a folder on a larger disk with --verdicts"
                            .formatted(folder),
                    e);
        }
        return e;
    }

    private record Writer<T>(String folder, BulkWriter<T> writer) implements BulkWriter<T> {
        private void attempt(ThrowingRunnable<IOException> writing) throws IOException {
            try {
                writing.run();
            } catch (IOException e) {
                throw named(folder, e);
            }
        }

        @Override
        public void addElement(T element) throws IOException {
            attempt(() -> writer.addElement(element));
        }

        @Override
        public void flush() throws IOException {
            attempt(writer::flush);
        }

        @Override
        public void finish() throws IOException {
            attempt(writer::finish);
        }
    }
}
