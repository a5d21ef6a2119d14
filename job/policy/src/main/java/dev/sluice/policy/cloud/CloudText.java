package dev.sluice.policy.cloud;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.json.JsonNodes;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** JSON texts of clouds' command lines: values of a file, and words of a value. */
final class CloudText {
    /** Most number of a port. */
    static final int MOST_PORT = 0xffff;

    private static final String REMEDY = "write the whole output of the cloud's command line again";

    private static final Pattern PORTS = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");

    private CloudText() {}

    /** A use of a value of a text. */
    interface Taker {
        /** Takes a value. */
        void take(YamlNode document) throws YamlException;
    }

    /**
     * Hands each value of all files to a taker; a value with a defect is reported, and the next one
     * read.
     */
    static void each(RuleReading in, Taker taker) throws IOException {
        do {
            try {
                List<YamlNode> documents = JsonNodes.of(in.file(), in.text(), REMEDY);
                for (YamlNode document : documents) {
                    taker.take(document);
                }
                warnOfOneLine(in, documents);
            } catch (YamlException e) {
                in.defect(e.file(), e.line(), e.defect());
            }
        } while (in.nextFile());
    }

    /** Tells that rules of a text of one line have no lines of their own. */
    private static void warnOfOneLine(RuleReading in, List<YamlNode> documents) {
        for (YamlNode document : documents) {
            if (document instanceof YamlNode.Mapping map
                    && map.entries().size() > 1
                    && map.entries().get(map.entries().size() - 1).key().at().line() == 1) {
                in.warn(1, "is one line, so that each rule is on line 1; format it by jq .");
                return;
            }
        }
    }

    /** The text of a string or a number. */
    static String word(YamlNode node) throws YamlException {
        return node instanceof YamlNode.Scalar scalar ? scalar.text() : node.string();
    }

    /** The text of a field; empty where it is absent. */
    static String word(YamlFields fields, String key) throws YamlException {
        YamlNode node = fields.take(key);
        return node == null ? "" : word(node);
    }

    /** The text of the first of some fields that is there; empty: none is. */
    static String word(YamlFields fields, String key, String other) throws YamlException {
        String word = word(fields, key);
        String second = word(fields, other);
        return word.isEmpty() ? second : word;
    }

    /** The texts of a list; none where it is absent. */
    static List<String> words(YamlFields fields, String key) throws YamlException {
        List<String> words = new ArrayList<>();
        for (YamlNode each : fields.list(key)) {
            words.add(word(each));
        }
        return words;
    }

    /** The mappings of a list; none where it is absent. */
    static List<YamlFields> items(YamlFields fields, String key) throws YamlException {
        List<YamlFields> items = new ArrayList<>();
        for (YamlNode each : fields.list(key)) {
            items.add(YamlFields.of(each));
        }
        return items;
    }

    /** The whole number of a field that is written with or without quotes; null: there is none. */
    static @Nullable Integer number(YamlFields fields, String key, int least, int most)
            throws YamlException {
        YamlNode node = fields.take(key);
        if (node == null || word(node).isEmpty()) {
            return null;
        }
        YamlNode plain = new YamlNode.Scalar(node.at(), word(node), true);
        Integer number = YamlFields.number(plain, least, most);
        if (number == null) {
            throw node.at()
                    .refused(node.words(), "is no number; write %d to %d".formatted(least, most));
        }
        return number;
    }

    /** The ports of a number or a range of two numbers. */
    static ValueSet range(YamlNode node) throws YamlException {
        String text = word(node);
        Matcher range = PORTS.matcher(text);
        if (range.matches()) {
            int low = Integer.parseInt(range.group(1));
            int high = range.group(2) == null ? low : Integer.parseInt(range.group(2));
            if (low <= high && high <= MOST_PORT) {
                return ValueSet.of(low, high);
            }
        }
        throw node.at().refused(text, "is no port; write 0 to 65535, or two as in 80-90");
    }

    /** A set of addresses that stand in no file. */
    static AddressSet addresses(String... addresses) {
        AddressSet all = AddressSet.NONE;
        try {
            for (String each : addresses) {
                YamlPosition nowhere = new YamlPosition("", 0, 1);
                YamlNode node = new YamlNode.Scalar(nowhere, each, false);
                all = all.or(AddressSet.addressOrBlock(node));
            }
        } catch (YamlException e) {
            throw new IllegalArgumentException(e);
        }
        return all;
    }

    /** The last part of a path of names, in lower case, as clouds compare it. */
    static String lastOf(String path) {
        return path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    }
}
