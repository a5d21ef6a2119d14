package dev.sluice.policy.yaml;

import dev.sluice.policy.yaml.YamlNode.Entry;
import dev.sluice.policy.yaml.YamlNode.Mapping;
import dev.sluice.policy.yaml.YamlNode.Scalar;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Fields of a mapping, taken one by one. A value of null is an absent field, as in Kubernetes. */
public final class YamlFields {
    private static final int MOST_DIGITS = 10;

    private final Mapping map;
    private final Set<String> taken = new HashSet<>();

    /** Name of the mapping in refusals; empty: the mapping itself. */
    private String name = "";

    private YamlFields(Mapping map) {
        this.map = map;
    }

    /**
     * The fields of a node.
     *
     * @throws YamlException if it is no mapping
     */
    public static YamlFields of(YamlNode node) throws YamlException {
        if (node instanceof Mapping map) {
            return new YamlFields(map);
        }
        throw node.at().refused(node.words(), "is no mapping; write keys and values");
    }

    /** Gives the mapping a name, by which refusals of a missing field call it. */
    public void named(String words) {
        name = words;
    }

    /** Place of the mapping. */
    public YamlPosition at() {
        return map.at();
    }

    /** The mapping in one line. */
    public String words() {
        return map.words();
    }

    /** The value of a field; null: there is none. */
    public @Nullable YamlNode take(String key) {
        taken.add(key);
        for (Entry entry : map.entries()) {
            if (entry.key().text().equals(key)) {
                return YamlNode.isAbsent(entry.value()) ? null : entry.value();
            }
        }
        return null;
    }

    /** The value of a field that must be there. */
    public YamlNode require(String key) throws YamlException {
        YamlNode value = take(key);
        if (value == null) {
            throw map.at()
                    .refused(name.isEmpty() ? words() : name, "has no field " + key + "; add it");
        }
        return value;
    }

    /** The fields of a field; null: there is none. */
    public @Nullable YamlFields fields(String key) throws YamlException {
        YamlNode value = take(key);
        return value == null ? null : of(value);
    }

    /** The string of a field; null: there is none. */
    public @Nullable String string(String key) throws YamlException {
        YamlNode value = take(key);
        return value == null ? null : value.string();
    }

    /** The string of a field that must be there. */
    public String requireString(String key) throws YamlException {
        return require(key).string();
    }

    /** The values of a field; none where it is absent. */
    public List<YamlNode> list(String key) throws YamlException {
        YamlNode value = take(key);
        return value == null ? List.of() : value.values();
    }

    /** The truth value of a field; false where it is absent. */
    public boolean flag(String key) throws YamlException {
        YamlNode value = take(key);
        if (value == null) {
            return false;
        }
        if (value instanceof Scalar scalar
                && scalar.plain()
                && scalar.text().matches("true|false")) {
            return scalar.text().equals("true");
        }
        throw value.at().refused(value.words(), "is no truth value; write true or false");
    }

    /** The strings of a mapping of strings, by key. */
    public Map<String, String> strings(String key) throws YamlException {
        YamlNode value = take(key);
        Map<String, String> strings = new LinkedHashMap<>();
        if (value != null) {
            for (Entry entry : of(value).map.entries()) {
                strings.put(entry.key().string(), entry.value().string());
            }
        }
        return strings;
    }

    /** The keys, in order. */
    public List<Scalar> keys() {
        return map.entries().stream().map(Entry::key).toList();
    }

    /**
     * The whole number of a scalar.
     *
     * @return null: the node is a string, or a scalar in quotes
     */
    public static @Nullable Integer number(YamlNode node, int least, int most)
            throws YamlException {
        if (!(node instanceof Scalar scalar)
                || !scalar.plain()
                || !scalar.text().matches("-?[0-9]+")) {
            return null;
        }
        boolean plain = scalar.text().matches("-?(0|[1-9][0-9]{0,%d})".formatted(MOST_DIGITS - 1));
        long value = plain ? Long.parseLong(scalar.text()) : -1;
        if (!plain || value < least || value > most) {
            throw node.at()
                    .refused(
                            scalar.text(),
                            "is no number that fits there; write %d to %d in decimal"
                                    .formatted(least, most));
        }
        return (int) value;
    }

    /** The whole number of a field; null: there is none. */
    public @Nullable Integer number(String key, int least, int most) throws YamlException {
        YamlNode value = take(key);
        if (value == null) {
            return null;
        }
        Integer number = number(value, least, most);
        if (number == null) {
            throw value.at()
                    .refused(
                            value.words(),
                            "is no number; write %d to %d without quotes".formatted(least, most));
        }
        return number;
    }

    /**
     * Refuses fields that nobody took: they may change the meaning.
     *
     * @param of words for the mapping, such as {@code NetworkPolicy spec}
     */
    public void requireNoMore(String of) throws YamlException {
        for (Entry entry : map.entries()) {
            if (!taken.contains(entry.key().text())) {
                throw entry.key()
                        .at()
                        .refused(
                                entry.key().text(),
                                "is a field of %s that Sluice does not read; known: %s"
                                        .formatted(
                                                of,
                                                String.join(
                                                        ", ", taken.stream().sorted().toList())));
            }
        }
    }
}
