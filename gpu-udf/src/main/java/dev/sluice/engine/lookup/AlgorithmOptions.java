package dev.sluice.engine.lookup;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values of the algorithms' own options; what is not given has its default. Immutable, thread-safe.
 *
 * @param values by name: an option's object is not the same one in another process
 */
public record AlgorithmOptions(Map<String, Object> values) implements Serializable {
    /** Every option has its default. */
    public static final AlgorithmOptions DEFAULTS = new AlgorithmOptions(new TreeMap<>());

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

    /** Lists the given options, as a map is written. */
    @Override
    public String toString() {
        return values.toString();
    }
}
