package dev.sluice.policy.yaml;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Node of a YAML document. */
public sealed interface YamlNode {
    /** Place of its first character. */
    YamlPosition at();

    /** Number of nodes below it and itself, where each alias counts as a copy. */
    long size();

    /**
     * A value without parts.
     *
     * @param plain whether it stands without quotes, so that its text tells its type
     */
    record Scalar(YamlPosition at, String text, boolean plain) implements YamlNode {
        private static final Pattern OTHER_TYPE =
                Pattern.compile(
                        "[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?"
                                + "|(\\.[0-9_]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9]+)?|\\.(inf|Inf|INF))"
                                + "|\\.(nan|NaN|NAN)|(?i:y|yes|n|no|true|false|on|off)|=|<<");

        private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

        @Override
        public long size() {
            return 1;
        }

        boolean isNull() {
            return plain && NULLS.contains(text);
        }

        /** The text, unless YAML may read it as a number, a truth value or nothing. */
        @Override
        public String string() throws YamlException {
            if (plain && (NULLS.contains(text) || OTHER_TYPE.matcher(text).matches())) {
                throw at.refused(text, "is no string in YAML; write it in quotes");
            }
            return text;
        }
    }

    /** Values in order. */
    record Sequence(YamlPosition at, List<YamlNode> values, long size) implements YamlNode {}

    /** Values by their keys, in order. */
    record Mapping(YamlPosition at, List<Entry> entries, long size) implements YamlNode {}

    /** Key and value of a mapping. */
    record Entry(Scalar key, YamlNode value) {}

    /** Returns whether a node stands for no value. */
    static boolean isAbsent(@Nullable YamlNode node) {
        return node == null || node instanceof Scalar scalar && scalar.isNull();
    }

    /** The string of a scalar. */
    default String string() throws YamlException {
        throw at().refused(words(), "is no string; write a word or a text in quotes");
    }

    /** The values of a sequence. */
    default List<YamlNode> values() throws YamlException {
        throw at().refused(words(), "is no list; write its items behind dashes");
    }

    /** The node in one line, cut where it is long. */
    default String words() {
        StringBuilder text = new StringBuilder();
        words(text);
        return text.length() > MOST_WORDS ? text.substring(0, MOST_WORDS) + "..." : text.toString();
    }

    /** Longest text of a node. */
    int MOST_WORDS = 200;

    private void words(StringBuilder text) {
        if (text.length() > MOST_WORDS) {
            return;
        }
        if (this instanceof Scalar scalar) {
            text.append(scalar.text.replaceAll("\\s+", " "));
        } else if (this instanceof Sequence list) {
            text.append('[');
            String comma = "";
            for (YamlNode value : list.values) {
                text.append(comma);
                value.words(text);
                comma = ", ";
            }
            text.append(']');
        } else if (this instanceof Mapping map) {
            text.append('{');
            String comma = "";
            for (Entry entry : map.entries) {
                text.append(comma).append(entry.key.text).append(": ");
                entry.value.words(text);
                comma = ", ";
            }
            text.append('}');
        }
    }
}
