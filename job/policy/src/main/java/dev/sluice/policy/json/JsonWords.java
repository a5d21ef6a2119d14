package dev.sluice.policy.json;

import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Words that stand for one of some constants, in whichever case. */
final class JsonWords {
    private JsonWords() {}

    /** The constant of a word. */
    static <E extends Enum<E>> E of(Class<E> type, YamlNode node) throws YamlException {
        for (E one : type.getEnumConstants()) {
            if (one.name().equalsIgnoreCase(node.string())) {
                return one;
            }
        }
        throw node.at()
                .refused(
                        node.string(),
                        "is none of the words that stand there: "
                                + Arrays.stream(type.getEnumConstants())
                                        .map(one -> one.name().toLowerCase(Locale.ROOT))
                                        .collect(Collectors.joining(", ")));
    }
}
