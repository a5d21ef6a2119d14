package dev.sluice.job.classify;

import dev.sluice.policy.io.Amount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** File that is read while it grows. It notices when the file can grow no more. Thread-safe. */
final class GrowingFile {
    /** Description of the state in which {@link #isReplaced}. */
    static final String REPLACED =
            "another file has its name now: it was renamed, or written anew; follow the new one";

    private final Path path;

    /** Identity of the file; null: the file system has none. */
    private final @Nullable Object key;

    /** Identifies the file that has the name now, before it is opened. */
    GrowingFile(Path path) {
        this.path = path;
        BasicFileAttributes file = regular();
        this.key = file == null ? null : file.fileKey();
    }

    /** Returns the attributes of the regular file of the name; null: there is none now. */
    private @Nullable BasicFileAttributes regular() {
        try {
            BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
            return file.isRegularFile() ? file : null;
        } catch (IOException e) {
            return null; // it may come back
        }
    }

    /** Tells whether another file has the name now. */
    boolean isReplaced() {
        BasicFileAttributes now = regular();
        return now != null && key != null && !key.equals(now.fileKey());
    }

    /**
     * Describes a file that is shorter than what was read of it; empty: it is not.
     *
     * @param read bytes read so far
     */
    String cut(long read) {
        BasicFileAttributes now = regular();
        return now == null || now.size() >= read
                ? ""
                : "the file has %s now, and %,d of it were read: it was cut or written anew; follow it anew"
                        .formatted(Amount.of(now.size(), "byte"), read);
    }
}
