package dev.sluice.policy.nft;

import dev.sluice.policy.model.ValueSet;
import java.math.BigInteger;
import java.util.List;

/** Check whether concatenated keys of a map exclude each other, so that their order is free. */
final class Overlap {
    /** Most keys that are compared with each other. */
    private static final int MOST_KEYS = 2000;

    private Overlap() {}

    /** Returns whether no two keys can hold for one packet, as far as the keys tell. */
    static boolean isFree(List<Loading> parts, List<Node> keys) throws RefusedException {
        if (keys.size() > MOST_KEYS) {
            return false;
        }
        List<List<Node>> tuples = keys.stream().map(Values::parts).toList();
        for (int i = 0; i < tuples.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (!excludes(parts, tuples.get(i), tuples.get(j))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean excludes(List<Loading> parts, List<Node> one, List<Node> other)
            throws RefusedException {
        for (int i = 0; i < Math.min(parts.size(), Math.min(one.size(), other.size())); i++) {
            if (excludes(parts.get(i), one.get(i), other.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean excludes(Loading part, Node one, Node other) throws RefusedException {
        if (part instanceof Loading.OfInterface) {
            return !begins(one.text(), other.text()) && !begins(other.text(), one.text());
        }
        if (part instanceof Loading.Unseen) {
            return false;
        }
        ValueSet rest = Values.of(other, part.type()).complement(part.type().bits());
        for (ValueSet.Range range : Values.of(one, part.type()).ranges()) {
            BigInteger low = range.low();
            boolean outside =
                    rest.ranges().stream()
                            .anyMatch(
                                    r ->
                                            r.low().compareTo(low) <= 0
                                                    && r.high().compareTo(range.high()) >= 0);
            if (!outside) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a name is another, or begins as another that ends with a star. */
    private static boolean begins(String name, String other) {
        return name.equals(other)
                || other.endsWith("*") && name.startsWith(other.substring(0, other.length() - 1));
    }
}
