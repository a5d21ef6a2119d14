package dev.sluice.policy.nft;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Value of the tree that both forms of a ruleset become: an object, an array, a text, a number or
 * nothing, as in JSON. Numbers are texts, too.
 *
 * @param value a {@code Map<String, Node>}, a {@code List<Node>}, a String or null
 */
record Node(Spot at, @Nullable Object value) {
    private static final int MOST_DEPTH = 300;
    private static final int MOST_VALUES = 30_000_000;

    /** An object of one property. */
    static Node of(Spot at, String key, @Nullable Object value) {
        Map<String, Node> map = new LinkedHashMap<>();
        map.put(key, value instanceof Node node ? node : new Node(at, value));
        return new Node(at, map);
    }

    /** An object of properties, given as keys and values in turn. */
    static Node object(Spot at, Object... keysAndValues) {
        Map<String, Node> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            Object value = keysAndValues[i + 1];
            map.put(
                    (String) keysAndValues[i],
                    value instanceof Node node ? node : new Node(at, value));
        }
        return new Node(at, map);
    }

    boolean isText() {
        return value instanceof String;
    }

    boolean isList() {
        return value instanceof List;
    }

    @SuppressWarnings("unchecked")
    Map<String, Node> map() {
        return value instanceof Map ? (Map<String, Node>) value : Map.of();
    }

    /** The values of a list; of anything else itself. */
    @SuppressWarnings("unchecked")
    List<Node> list() {
        return value instanceof List ? (List<Node>) value : List.of(this);
    }

    /** The text, or empty. */
    String text() {
        return value instanceof String text ? text : "";
    }

    boolean is(String text) {
        return text.equals(value);
    }

    @Nullable Node get(String key) {
        return map().get(key);
    }

    /** The text of a property, or empty. */
    String text(String key) {
        Node node = get(key);
        return node == null ? "" : node.text();
    }

    /** The property, which must be there. */
    Node need(String key) throws RefusedException {
        Node node = get(key);
        if (node == null) {
            throw refused("lacks its " + key + "; dump the ruleset again");
        }
        return node;
    }

    /** The text of a property, which must be there. */
    String needText(String key) throws RefusedException {
        Node node = need(key);
        if (!node.isText()) {
            throw node.refused("is no " + key + "; write a text");
        }
        return node.text();
    }

    /** The first key of an object, or empty. */
    String key() {
        return map().isEmpty() ? "" : map().keySet().iterator().next();
    }

    /** The value of the first key. */
    Node inner() {
        return map().isEmpty() ? this : map().values().iterator().next();
    }

    /** The two sides of an operator's array. */
    Node side(int number) throws RefusedException {
        List<Node> sides = list();
        if (!isList() || sides.size() != 2) {
            throw refused("has not two sides; write two");
        }
        return sides.get(number);
    }

    /** A number of at most so many bits. */
    BigInteger number(int bits) throws RefusedException {
        String text = text();
        BigInteger number = null;
        if (text.matches("0[xX][0-9a-fA-F]{1,32}")) {
            number = new BigInteger(text.substring(2), 16);
        } else if (text.matches("0[0-7]{1,40}")) {
            number = new BigInteger(text, 8); // as nft takes it
        } else if (text.matches("0|[1-9][0-9]{0,39}")) {
            number = new BigInteger(text);
        }
        if (number == null) {
            throw refused("is not a number that Sluice knows there; write a number");
        }
        if (number.bitLength() > bits) {
            throw refused("is beyond the %d bits that fit there".formatted(bits));
        }
        return number;
    }

    /**
     * Refuses a value that is too deep or too large to be looked at. Variables that name each other
     * make such values of few words.
     */
    void requireBounds() throws RefusedException {
        requireBounds(0, new int[] {MOST_VALUES});
    }

    private void requireBounds(int depth, int[] left) throws RefusedException {
        if (depth > MOST_DEPTH || left[0]-- <= 0) {
            throw at.refused(
                    "a value",
                    depth > MOST_DEPTH
                            ? "holds values in one another, %d deep; write it flat"
                                    .formatted(MOST_DEPTH)
                            : "stands behind more than %d values of one command; write several"
                                    .formatted(MOST_VALUES));
        }
        if (value instanceof List) {
            for (Node one : list()) {
                one.requireBounds(depth + 1, left);
            }
        }
        for (Node one : map().values()) {
            one.requireBounds(depth + 1, left);
        }
    }

    RefusedException refused(String problem) {
        return at.refused(words(), problem);
    }

    /** The value in words close to nft's. */
    String words() {
        if (value instanceof List) {
            return list().stream().map(Node::words).collect(Collectors.joining(", "));
        }
        if (!(value instanceof Map)) {
            return value == null ? "" : text().matches(".*\\s.*") ? '"' + text() + '"' : text();
        }
        if (map().size() > 1) {
            return map().entrySet().stream()
                    .map(entry -> words(entry.getKey(), entry.getValue()))
                    .collect(Collectors.joining(" "));
        }
        return words(key(), inner());
    }

    private static String words(String key, Node value) {
        List<Node> sides = value.list();
        return switch (key) {
            case "match" ->
                    "%s %s%s"
                            .formatted(
                                    wordsOf(value, "left"),
                                    value.text("op").matches("==|in|")
                                            ? ""
                                            : value.text("op") + " ",
                                    wordsOf(value, "right"));
            case "payload", "meta", "ct", "socket", "rt" ->
                    value.map().containsKey("key")
                            ? "%s %s%s"
                                    .formatted(
                                            key,
                                            value.get("dir") == null ? "" : value.text("dir") + " ",
                                            value.text("key"))
                            : value.map().containsKey("field")
                                    ? value.text("protocol") + " " + value.text("field")
                                    : key + " " + value.words();
            case "exthdr" -> value.text("name") + " " + value.text("field");
            case "vmap", "map" -> wordsOf(value, "key") + " " + key + " " + wordsOf(value, "data");
            case "mangle" -> wordsOf(value, "key") + " set " + wordsOf(value, "value");
            case "set" ->
                    value.get("op") == null
                            ? "{ " + pairs(sides) + " }"
                            : "%s %s { %s }"
                                    .formatted(
                                            value.text("op"),
                                            value.text("set"),
                                            wordsOf(value, "elem"));
            case "concat" -> sides.stream().map(Node::words).collect(Collectors.joining(" . "));
            case "prefix" ->
                    value.isText()
                            ? key + " " + value.words() // of a log
                            : wordsOf(value, "addr") + "/" + wordsOf(value, "len");
            case "range" -> sides.stream().map(Node::words).collect(Collectors.joining("-"));
            case "elem" -> value.get("val") == null ? value.words() : wordsOf(value, "val");
            case "jump", "goto" -> key + " " + value.text("target");
            case "&", "|", "^", "<<", ">>" ->
                    sides.stream().map(Node::words).collect(Collectors.joining(" " + key + " "));
            default -> (key + " " + value.words()).strip();
        };
    }

    private static String pairs(List<Node> elements) {
        return elements.stream()
                .map(
                        one ->
                                one.isList() && one.list().size() == 2
                                        ? one.list().get(0).words()
                                                + " : "
                                                + one.list().get(1).words()
                                        : one.words())
                .collect(Collectors.joining(", "));
    }

    private static String wordsOf(Node value, String key) {
        Node of = value.get(key);
        return of == null ? "" : of.words();
    }

    /** A list with one more value. */
    static List<Node> plus(List<Node> some, Node more) {
        List<Node> all = new ArrayList<>(some);
        all.add(more);
        return all;
    }
}
