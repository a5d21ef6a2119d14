package dev.sluice.policy.io;

import java.util.List;

/** A failure that a user can understand and mend: one clear line that names what, where and how. */
public class SluiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> lines;

    /** A failure with its text. */
    public SluiceException(String message) {
        super(message);
        lines = List.of(message);
    }

    /** A failure for several defects, each with a line. */
    public SluiceException(List<String> defects) {
        super(String.join("\n", defects));
        lines = List.copyOf(defects);
    }

    /** A failure with its text and what brought it about. */
    public SluiceException(String message, Throwable cause) {
        super(message, cause);
        lines = List.of(message);
    }

    /** The lines of the message: a line end that is not between two of them belongs to a name. */
    public final List<String> lines() {
        return lines;
    }
}
