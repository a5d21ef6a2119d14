package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Options whose value is the name of an enum constant, in lower case with {@code -} for {@code _}.
 */
public final class Choice {
    private Choice() {}

    /**
     * The constant that a value names, in any case, with - or _ between words.
     *
     * @throws UsageException if there is none, naming the value and all constants
     */
    static <E extends Enum<E>> E parse(String text, Class<E> type) {
        String label = text.toLowerCase(Locale.ROOT).replace('_', '-');
        for (E constant : type.getEnumConstants()) {
            if (label(constant).equals(label)) {
                return constant;
            }
        }
        throw new UsageException(
                text
                        + " is unknown; use one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(Choice::label)
                                .collect(Collectors.joining(", ")));
    }

    /** The name of a constant as a value of an option. */
    public static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
