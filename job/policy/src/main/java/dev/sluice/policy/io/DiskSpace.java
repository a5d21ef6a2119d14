package dev.sluice.policy.io;

import java.io.File;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks of the free space on a folder's disk. */
public final class DiskSpace {
    /** Free bytes that a broker and a job need to close their files in good order. */
    public static final long LEAST_BYTES = 48L << 20;

    private static final String FULL = "No space left on device";

    private DiskSpace() {}

    /**
     * Fails with one line if a disk is nearly full.
     *
     * <p>The check asks the file system through the folder itself, since the table of mounts may
     * lack its mount, as in a chroot. A file system that reports no size counts as having space.
     *
     * @param what content of the folder, as in "temporary files"
     * @param remedy an alternative to freeing space
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

    /** Tells whether a full disk caused a failure. */
    public static boolean isFull(@Nullable Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (String.valueOf(t.getMessage()).contains(FULL)) {
                return true;
            }
        }
        return false;
    }
}
