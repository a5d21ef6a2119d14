package dev.sluice.job;

/** A failure that a user can understand and mend: one clear line that names what, where and how. */
public class SluiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with its text. */
    public SluiceException(String message) {
        super(message);
    }

    /** A failure with its text and what brought it about. */
    public SluiceException(String message, Throwable cause) {
        super(message, cause);
    }
}
