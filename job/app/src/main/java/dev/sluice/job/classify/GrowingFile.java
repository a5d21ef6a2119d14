package dev.sluice.job.classify;

import dev.sluice.policy.io.Amount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A file that is read while it grows: tells when there is nothing more to wait for. Thread-safe.
 */
final class GrowingFile {
    /** What is wrong where {@link #isReplaced}. */
    static final String REPLACED =
            "another file has its name now: it was renamed, or written anew; follow the new one";

    private final Path path;

    /** What tells it from others; null: nothing does. */
    private final @Nullable Object key;

    /** The file that has the name now, which is to be opened next. */
    GrowingFile(Path path) {
        this.path = path;
        BasicFileAttributes file = regular();
        this.key = file == null ? null : file.fileKey();
    }

    /** The regular file of the name; null: there is none now. */
    private @Nullable BasicFileAttributes regular() {
        try {
            BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
            return file.isRegularFile() ? file : null;
        } catch (IOException e) {
            return null; // it may come back
        }
    }

    /** Whether another file has the name now. */
    boolean isReplaced() {
        BasicFileAttributes now = regular();
        return now != null && key != null && !key.equals(now.fileKey());
    }

    /**
     * How the file has become shorter than what was read of it; empty: it has not.
     *
     * @param read bytes
     */
    String cut(long read) {
        BasicFileAttributes now = regular();
        return now == null || now.size() >= read
                ? ""
                : "the file has %s now, and %,d of it were read: it was cut or written anew; follow it anew"
                        .formatted(Amount.of(now.size(), "byte"), read);
    }
}
