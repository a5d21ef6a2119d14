package dev.sluice.engine.lookup;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values of the algorithms' own options; what is not given has its default. Immutable, thread-safe.
 */
public final class AlgorithmOptions implements Serializable {
    /** Every option has its default. */
    public static final AlgorithmOptions DEFAULTS = new AlgorithmOptions(new TreeMap<>());

    private static final long serialVersionUID = 1L;

    /** By name: an option's object is not the same one in another process. */
    @SuppressWarnings(
            "serial") // the map and its values are serializable, as AlgorithmOption asks for
    private final Map<String, Object> values;

    private AlgorithmOptions(Map<String, Object> values) {
        this.values = values;
    }

    /** The value of an option. */
    public <T> T get(AlgorithmOption<T> option) {
        Object value = values.get(option.name());
        return value == null ? option.defaultValue() : option.cast(value);
    }

    /** These options with another value of one. */
    public <T> AlgorithmOptions with(AlgorithmOption<T> option, T value) {
        Map<String, Object> changed = new TreeMap<>(values);
        changed.put(option.name(), value);
        return new AlgorithmOptions(changed);
    }

    /**
     * These options with a value that was read from text.
     *
     * @throws IllegalArgumentException naming the value and what there is
     */
    public <T> AlgorithmOptions withParsed(AlgorithmOption<T> option, String text) {
        return with(option, option.parse(text));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AlgorithmOptions that && that.values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Lists the given options, as a map is written. */
    @Override
    public String toString() {
        return values.toString();
    }
}
