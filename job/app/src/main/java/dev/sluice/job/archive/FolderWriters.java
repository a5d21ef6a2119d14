package dev.sluice.job.archive;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;

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
        @Override
        public void addElement(T element) throws IOException {
            try {
                writer.addElement(element);
            } catch (IOException e) {
                throw named(folder, e);
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                writer.flush();
            } catch (IOException e) {
                throw named(folder, e);
            }
        }

        @Override
        public void finish() throws IOException {
            try {
                writer.finish();
            } catch (IOException e) {
                throw named(folder, e);
            }
        }
    }
}
