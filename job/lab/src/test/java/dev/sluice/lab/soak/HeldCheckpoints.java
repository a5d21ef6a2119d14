package dev.sluice.lab.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointMetadataOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageFactory;
import org.apache.flink.runtime.state.CheckpointStorageLocation;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;

/**
 * Checkpoints in files, as a job has them, whose JobManager waits between storing one and telling
 * the tasks to commit it, as long as a file {@value #HOLD} lies in their folder. The file {@code
 * held-N} says that it waits behind checkpoint N.
 */
public final class HeldCheckpoints extends FileSystemCheckpointStorage {
    static final String HOLD = "hold";
    static final String HELD = "held-";

    private static final long serialVersionUID = 1L;
    private static final long LOOK_NANOS = 1_000_000;

    private HeldCheckpoints(String folder) {
        super(folder);
    }

    /** Flink makes the storage by this class, which a job's configuration names. */
    public static final class Factory implements CheckpointStorageFactory<HeldCheckpoints> {
        @Override
        public HeldCheckpoints createFromConfig(ReadableConfig config, ClassLoader classes) {
            return new HeldCheckpoints(config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY));
        }
    }

    @Override
    public CheckpointStorageAccess createCheckpointStorage(JobID job) throws IOException {
        Path folder = getCheckpointPath();
        return new FsCheckpointStorageAccess(
                folder, null, job, getMinFileSizeThreshold(), getWriteBufferSize()) {
            @Override
            public CheckpointStorageLocation initializeLocationForCheckpoint(long number)
                    throws IOException {
                var usual =
                        (FsCheckpointStorageLocation) super.initializeLocationForCheckpoint(number);
                return new FsCheckpointStorageLocation(
                        fileSystem,
                        usual.getCheckpointDirectory(),
                        usual.getSharedStateDirectory(),
                        usual.getTaskOwnedStateDirectory(),
                        usual.getLocationReference(),
                        fileSizeThreshold,
                        writeBufferSize) {
                    @Override
                    public CheckpointMetadataOutputStream createMetadataOutputStream()
                            throws IOException {
                        return new Held(super.createMetadataOutputStream(), folder, number);
                    }
                };
            }
        };
    }

    private static final class Held extends CheckpointMetadataOutputStream {
        private final CheckpointMetadataOutputStream out;
        private final java.nio.file.Path folder;
        private final long number;

        Held(CheckpointMetadataOutputStream out, Path folder, long number) {
            this.out = out;
            this.folder = java.nio.file.Path.of(folder.getPath());
            this.number = number;
        }

        @Override
        public CompletedCheckpointStorageLocation closeAndFinalizeCheckpoint() throws IOException {
            CompletedCheckpointStorageLocation stored = out.closeAndFinalizeCheckpoint();
            java.nio.file.Path hold = folder.resolve(HOLD);
            if (Files.exists(hold)) {
                Files.createFile(folder.resolve(HELD + number));
                while (Files.exists(hold)) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            }
            return stored;
        }

        @Override
        public void close() throws IOException {
            out.close();
        }

        @Override
        public long getPos() throws IOException {
            return out.getPos();
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void sync() throws IOException {
            out.sync();
        }

        @Override
        public void write(int one) throws IOException {
            out.write(one);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            out.write(bytes, from, count);
        }
    }
}
