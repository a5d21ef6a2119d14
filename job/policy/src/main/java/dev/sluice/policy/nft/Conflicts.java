package dev.sluice.policy.nft;

import dev.sluice.policy.model.ValueSet;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /** Concatenated key: the least and the greatest value of each part. */
    private record Tuple(List<BigInteger> low, List<BigInteger> high, String data, Node at) {
        static Tuple of(List<DataType> types, Node key, String data) throws RefusedException {
            List<Node> parts = Values.parts(key);
            List<BigInteger> low = new ArrayList<>();
            List<BigInteger> high = new ArrayList<>();
            for (int i = 0; i < Math.min(types.size(), parts.size()); i++) {
                List<Key> keys = new ArrayList<>();
                Conflicts.add(types.get(i), parts.get(i), keys);
                if (keys.isEmpty()) {
                    throw parts.get(i).refused("is no part of an element; write a value");
                }
                low.add(keys.get(0).low);
                high.add(keys.get(keys.size() - 1).high);
            }
            return new Tuple(low, high, data, key);
        }

        boolean holds(List<BigInteger> point) {
            for (int i = 0; i < point.size(); i++) {
                if (point.get(i).compareTo(low.get(i)) < 0
                        || point.get(i).compareTo(high.get(i)) > 0) {
                    return false;
                }
            }
            return true;
        }

        boolean conflicts(Tuple later) {
            boolean same = low.equals(later.low) && high.equals(later.high);
            return same ? !data.equals(later.data) : holds(later.low) || holds(later.high);
        }
    }

    /**
     * Concatenated keys in the order in which the kernel takes them. It refuses a key whose least
     * or greatest values one before holds.
     */
    private static final class Tuples {
        private final Map<BigInteger, List<Tuple>> byFirst = new HashMap<>();
        private final TreeMap<BigInteger, List<Tuple>> wide = new TreeMap<>();
        private BigInteger widest = BigInteger.ZERO;

        void add(Tuple tuple) {
            BigInteger first = tuple.low.get(0);
            BigInteger width = tuple.high.get(0).subtract(first);
            widest = widest.max(width);
            (width.signum() == 0 ? byFirst : wide)
                    .computeIfAbsent(first, f -> new ArrayList<>())
                    .add(tuple);
        }

        @Nullable Tuple conflicting(Tuple later) {
            for (BigInteger first : List.of(later.low.get(0), later.high.get(0))) {
                Stream<Tuple> near =
                        wide.subMap(first.subtract(widest), true, first, true).values().stream()
                                .flatMap(List::stream);
                Tuple found =
                        Stream.concat(byFirst.getOrDefault(first, List.of()).stream(), near)
                                .filter(tuple -> tuple.conflicts(later))
                                .findFirst()
                                .orElse(null);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
    }

    /**
     * Refuses an element whose key overlaps with that of another.
     *
     * @param types the types of the key's parts
     * @param elements keys, or pairs of a key and its value in a map
     */
    static void check(List<DataType> types, List<Node> elements) throws RefusedException {
        if (types.contains(DataType.UNSEEN) || types.contains(DataType.VERDICT)) {
            checkWords(elements);
            return;
        }
        if (types.size() != 1) {
            Tuples tuples = new Tuples();
            for (Node element : elements) {
                Node key = isPair(element) ? element.list().get(0) : element;
                if (!Values.plain(key).is("*")) {
                    Tuple tuple = Tuple.of(types, key, data(element));
                    Tuple other = tuples.conflicting(tuple);
                    if (other != null) {
                        throw refused(key, other.at);
                    }
                    tuples.add(tuple);
                }
            }
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
        BigInteger rest = ValueSet.ones(prefix ? free : 0);
        return new Key(low, low.or(rest), data, key);
    }
}
