package dev.sluice.policy.io;

import java.io.File;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Room on the disk of a folder. */
public final class DiskSpace {
    /** Bytes that a broker and a job need to close their files in good order. */
    public static final long LEAST_BYTES = 48L << 20;

    private static final String FULL = "No space left on device";

    private DiskSpace() {}

    /**
     * Fails with one line when a disk is nearly full. The file system is asked by the folder
     * itself: its mount need not stand in the table of mounts, as in a chroot. One that does not
     * tell its size is taken to have room.
     *
     * @param what lies there, as in "temporary files"
     * @param remedy what to do besides making room
     * @throws SluiceException naming the folder
     */
    public static void require(Path folder, String what, String remedy) {
        File file = folder.toFile();
        if (file.getTotalSpace() != 0 && file.getUsableSpace() < LEAST_BYTES) {
            throw new SluiceException(
                    "no space left for %s: %s has %d MiB free, %d MiB are needed at least; free some, or %s"
                            .formatted(
                                    what,
                                    folder,
                                    file.getUsableSpace() >> 20,
                                    LEAST_BYTES >> 20,
                                    remedy));
        }
    }

    /** Tells whether a failure is of a disk that is full. */
    public static boolean isFull(@Nullable Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (String.valueOf(t.getMessage()).contains(FULL)) {
                return true;
            }
        }
        return false;
    }
}
