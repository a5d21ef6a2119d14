package dev.sluice.policy.nft;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.ValueSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Values of a type, as rules and sets write them. */
final class Values {
    private Values() {}

    /** The values of a text, a range, a prefix, or a set of these. */
    static ValueSet of(Node node, DataType type) throws RefusedException {
        switch (node.key()) {
            case "set" -> {
                List<ValueSet.Range> all = new ArrayList<>();
                for (Node element : node.inner().list()) {
                    all.addAll(of(element, type).ranges());
                }
                return new ValueSet(all);
            }
            case "elem" -> {
                return of(node.inner().need("val"), type);
            }
            case "range" -> {
                BigInteger low = one(node.inner().side(0), type);
                BigInteger high = end(node.inner().side(1), type);
                if (low.compareTo(high) > 0) {
                    throw node.refused("is an empty range; write the lower value first");
                }
                return ValueSet.of(low, high);
            }
            case "prefix" -> {
                return prefix(node.inner(), type);
            }
            default -> {
                BigInteger one = one(node, type);
                return ValueSet.of(one, one);
            }
        }
    }

    /** The end of a range; nft lists the greatest value of a set as that of its bytes. */
    private static BigInteger end(Node node, DataType type) throws RefusedException {
        BigInteger bytes = greatest((type.bits() + 7) / 8 * 8);
        boolean printed =
                node.map().isEmpty()
                        && !node.isList()
                        && (node.text().equals(bytes.toString())
                                || node.text().equals("0x" + bytes.toString(16)));
        return printed ? greatest(type.bits()) : one(node, type);
    }

    private static BigInteger greatest(int bits) {
        return ValueSet.ones(bits);
    }

    private static ValueSet prefix(Node prefix, DataType type) throws RefusedException {
        Node length = prefix.need("len");
        int bits = length.number(8).intValue();
        if (bits > type.bits()) {
            throw length.refused("is no prefix length; write 0 to " + type.bits());
        }
        int free = type.bits() - bits;
        BigInteger low = one(prefix.need("addr"), type).shiftRight(free).shiftLeft(free);
        return ValueSet.of(low, low.or(greatest(free)));
    }

    /** A value; bits that are listed or combined are one value. */
    static BigInteger one(Node node, DataType type) throws RefusedException {
        if (node.isList()) {
            BigInteger all = BigInteger.ZERO;
            if (!type.isBits()) {
                throw node.refused(
                        "is a list, which only flags and states may be; write a set in { }");
            }
            for (Node part : node.list()) {
                all = all.or(one(part, type));
            }
            return all;
        }
        if (!node.map().isEmpty()) {
            Node sides = node.inner();
            return switch (node.key()) {
                case "|" -> one(sides.side(0), type).or(one(sides.side(1), type));
                case "&" -> one(sides.side(0), type).and(one(sides.side(1), type));
                case "^" -> one(sides.side(0), type).xor(one(sides.side(1), type));
                case "elem" -> one(sides.need("val"), type);
                default ->
                        throw node.refused(
                                "is no value that Sluice reads there; add --skip-unsupported: packets"
                                        + " that it may decide about then depend");
            };
        }
        return literal(node, type);
    }

    private static BigInteger literal(Node node, DataType type) throws RefusedException {
        String text = node.text();
        try {
            switch (type) {
                case IPV4 -> {
                    if (text.matches("[0-9]+|0[xX][0-9a-fA-F]+")) {
                        return node.number(type.bits());
                    }
                    return BigInteger.valueOf(
                            Literals.ipv4(text, node.at().column()) & 0xffffffffL);
                }
                case IPV6 -> {
                    return new BigInteger(1, Literals.ipv6(text, node.at().column()));
                }
                case MAC -> {
                    return BigInteger.valueOf(Literals.mac(text, node.at().column()));
                }
                default -> {
                    Integer symbol = type.symbol(text);
                    return symbol != null ? BigInteger.valueOf(symbol) : node.number(type.bits());
                }
            }
        } catch (RuleSyntaxException e) {
            throw node.at().refused(text, rest(String.valueOf(e.getMessage())));
        }
    }

    /** A message without the words that it begins with. */
    private static String rest(String message) {
        int colon = message.indexOf("': ");
        return colon < 0 ? message : message.substring(colon + 3);
    }

    /** The parts of a concatenated value. */
    static List<Node> parts(Node node) {
        Node value = node.key().equals("elem") ? node.inner() : node;
        Node key = value.get("val");
        Node inner = key == null ? value : key;
        return inner.key().equals("concat") ? inner.inner().list() : List.of(inner);
    }

    /** A key's element without its timeout, counter and comment. */
    static Node plain(Node element) {
        Map<String, Node> options = element.key().equals("elem") ? element.inner().map() : Map.of();
        return options.getOrDefault("val", element);
    }
}
