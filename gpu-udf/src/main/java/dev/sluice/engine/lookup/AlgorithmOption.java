package dev.sluice.engine.lookup;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An option of one or a few algorithms, declared once in their package. Command lines take it as
 * {@code --name}. Immutable, thread-safe.
 *
 * @param <T> type of its values, which must be serializable
 * @param name its name, without the hyphens that command lines put before it
 * @param defaultValue the value where the option is not given
 * @param placeholder stands for the value in help texts; empty for an option without a value
 * @param description one sentence for help texts
 */
public record AlgorithmOption<T>(
        String name,
        Class<T> type,
        T defaultValue,
        String placeholder,
        String description,
        Function<String, T> parser) {
    private static final int MOST = Integer.MAX_VALUE;

    /** An option that is off unless it is given, without a value. */
    public static AlgorithmOption<Boolean> flag(String name, String description) {
        return new AlgorithmOption<>(
                name, Boolean.class, false, "", description, Boolean::parseBoolean);
    }

    /**
     * A whole number.
     *
     * @param least smallest value
     */
    public static AlgorithmOption<Integer> number(
            String name, int defaultValue, int least, String description) {
        return new AlgorithmOption<>(
                name,
                Integer.class,
                defaultValue,
                "N",
                description,
                text -> {
                    boolean fits = text.matches("\\d{1,10}") && Long.parseLong(text) <= MOST;
                    if (!fits || Integer.parseInt(text) < least) {
                        throw new IllegalArgumentException(
                                "%s is no number from %d to %d; write one as in %s"
                                        .formatted(text, least, MOST, defaultValue));
                    }
                    return Integer.valueOf(text);
                });
    }

    /** One of an enum's constants, written in lower case with hyphens. */
    public static <E extends Enum<E>> AlgorithmOption<E> constant(
            String name, E defaultValue, String description) {
        Class<E> type = defaultValue.getDeclaringClass();
        return new AlgorithmOption<>(
                name,
                type,
                defaultValue,
                "NAME",
                description,
                text -> {
                    for (E constant : type.getEnumConstants()) {
                        if (written(constant).equals(text)) {
                            return constant;
                        }
                    }
                    throw new IllegalArgumentException(
                            "%s is unknown; use one of %s"
                                    .formatted(
                                            text,
                                            Arrays.stream(type.getEnumConstants())
                                                    .map(AlgorithmOption::written)
                                                    .collect(Collectors.joining(", "))));
                });
    }

    private static String written(Object value) {
        return value instanceof Enum<?> constant
                ? constant.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }

    /** The default as a command line would write it. */
    public String defaultText() {
        return written(defaultValue);
    }

    /**
     * Reads a value.
     *
     * @throws IllegalArgumentException naming the value and what there is
     */
    public T parse(String text) {
        return parser.apply(text);
    }

    T cast(Object value) {
        return type.cast(value);
    }

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
