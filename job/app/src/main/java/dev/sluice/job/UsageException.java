package dev.sluice.job;

import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;

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

    /**
     * Refuses a number outside a range.
     *
     * @param option the option's name, with its hyphens
     * @throws UsageException naming option, value and range
     */
    public static void requireRange(String option, long value, long low, long high) {
        if (value < low || value > high) {
            throw new UsageException("%s %d is not in %d..%d".formatted(option, value, low, high));
        }
    }

    /**
     * Refuses an invalid number of a switch port.
     *
     * @param port null: none was given
     * @throws UsageException naming option, value and range
     */
    public static void requirePort(String option, @Nullable Integer port) {
        if (port != null) {
            requireRange(option, port, 0, 0xffff);
        }
    }

    /**
     * Refuses a share outside 0 to 1.
     *
     * @param option the option's name, with its hyphens
     * @throws UsageException naming option and value
     */
    public static void requireShare(String option, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new UsageException(option + " " + value + " is not in 0..1");
        }
    }

    /**
     * Refuses a number below 1.
     *
     * @param value null: none was given
     * @throws UsageException naming option and value
     */
    public static void requireFromOne(String option, @Nullable Long value) {
        if (value != null) {
            requireAtLeast(option, value, 1);
        }
    }

    /**
     * Refuses a number below a bound.
     *
     * @param option the option's name, with its hyphens
     * @throws UsageException naming option, value and bound
     */
    public static void requireAtLeast(String option, long value, long low) {
        if (value < low) {
            throw new UsageException(
                    "%s %d is below %d, the least that it takes".formatted(option, value, low));
        }
    }
}
