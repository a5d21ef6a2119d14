package dev.sluice.policy.io;

import java.util.List;

/**
 * Failure that a user can understand and mend: one clear line that names the fault, its place and
 * the remedy.
 */
public class SluiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> lines;

    /** Creates a failure with its text. */
    public SluiceException(String message) {
        super(message);
        lines = List.of(message);
    }

    /** Creates a failure for several defects, each with a line. */
    public SluiceException(List<String> defects) {
        super(String.join("\n", defects));
        lines = List.copyOf(defects);
    }

    /** Creates a failure with its text and its cause. */
    public SluiceException(String message, Throwable cause) {
        super(message, cause);
        lines = List.of(message);
    }

    /** Returns the lines of the message; a line end within one of them belongs to a name. */
    public final List<String> lines() {
        return lines;
    }
}
