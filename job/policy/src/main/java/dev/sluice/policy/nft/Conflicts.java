package dev.sluice.policy.nft;

import dev.sluice.policy.model.ValueSet;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Check that the keys of a set or map exclude each other. nft refuses intervals that overlap, and a
 * key with two values, of which nobody could say which one counts.
 */
final class Conflicts {
    /** Bytes of the name of an interface. */
    private static final int NAME_BYTES = 16;

    /** Values from the least to the most, with what a map gives for them. */
    private record Key(BigInteger low, BigInteger high, String data, Node at) {}

    private Conflicts() {}

    /**
     * Refuses an element whose key overlaps with that of another.
     *
     * @param types the types of the key's parts; those of several parts are compared as words
     * @param elements keys, or pairs of a key and its value in a map
     */
    static void check(List<DataType> types, List<Node> elements) throws RefusedException {
        boolean words = types.size() != 1 || types.get(0) == DataType.UNSEEN;
        if (words) {
            checkWords(elements);
            return;
        }
        List<Key> keys = new ArrayList<>();
        for (Node element : elements) {
            add(types.get(0), element, keys);
        }
        keys.sort(Comparator.comparing(Key::low).thenComparing(Key::high));
        for (int i = 1; i < keys.size(); i++) {
            Key before = keys.get(i - 1);
            Key key = keys.get(i);
            boolean same = key.low.equals(before.low) && key.high.equals(before.high);
            if (key.low.compareTo(before.high) <= 0 && !(same && key.data.equals(before.data))) {
                throw refused(key.at, before.at);
            }
        }
    }

    private static RefusedException refused(Node key, Node other) {
        return key.refused(
                "overlaps with the element %s, which nft refuses; keep one of them"
                        .formatted(other.words()));
    }

    private static void checkWords(List<Node> elements) throws RefusedException {
        Map<String, Node> seen = new HashMap<>();
        for (Node element : elements) {
            if (isPair(element)) {
                Node other = seen.put(element.list().get(0).words(), element);
                if (other != null && !data(other).equals(data(element))) {
                    throw refused(element.list().get(0), other.list().get(0));
                }
            }
        }
    }

    private static boolean isPair(Node element) {
        return element.isList() && element.list().size() == 2;
    }

    private static String data(Node element) {
        return isPair(element) ? element.list().get(1).words() : "";
    }

    private static void add(DataType type, Node element, List<Key> keys) throws RefusedException {
        Node key = Values.plain(isPair(element) ? element.list().get(0) : element);
        if (key.key().equals("set")) {
            for (Node inner : key.inner().list()) {
                add(type, inner, keys);
            }
        } else if (type == DataType.NAME || type == DataType.INDEX) {
            keys.add(named(key, data(element)));
        } else if (!key.is("*") && type != DataType.VERDICT) {
            for (ValueSet.Range range : Values.of(key, type).ranges()) {
                keys.add(new Key(range.low(), range.high(), data(element), key));
            }
        }
    }

    /** A name as its bytes; a star stands for all bytes that may follow. */
    private static Key named(Node key, String data) {
        String name = key.text();
        boolean prefix = name.endsWith("*") && !name.endsWith("\\*");
        String plain = prefix ? name.substring(0, name.length() - 1) : name;
        byte[] bytes = plain.getBytes(StandardCharsets.UTF_8);
        int free = 8 * Math.max(0, NAME_BYTES - bytes.length);
        BigInteger low = new BigInteger(1, bytes).shiftLeft(free);
        BigInteger rest = BigInteger.ONE.shiftLeft(prefix ? free : 0).subtract(BigInteger.ONE);
        return new Key(low, low.or(rest), data, key);
    }
}
