package dev.sluice.job;

import dev.sluice.policy.io.SluiceException;

/** Wrong usage of a command: an invalid value of an option, or options that exclude each other. */
public final class UsageException extends SluiceException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a text that names the option, its value and the valid values. */
    public UsageException(String message) {
        super(message);
    }

    /** Creates the exception with its text and its cause. */
    public UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
