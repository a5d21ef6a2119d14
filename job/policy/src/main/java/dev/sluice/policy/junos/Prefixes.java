package dev.sluice.policy.junos;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Addresses of a match condition: of the prefixes that hold an address the longest decides, and an
 * address that none holds is no match (Juniper, "Firewall Filter Match Conditions Based on Address
 * Fields").
 */
final class Prefixes {
    private static final int V6_BITS = 128;
    private static final ValueSet NONE = new ValueSet(List.of());

    private final boolean v6;
    private final int bits;
    private final Map<Integer, List<ValueSet.Range>> plain = new TreeMap<>();
    private final Map<Integer, List<ValueSet.Range>> except = new TreeMap<>();
    private final List<BigInteger[]> masked = new ArrayList<>();

    Prefixes(boolean v6) {
        this.v6 = v6;
        bits = v6 ? V6_BITS : Integer.SIZE;
    }

    /** An address with its prefix length; of IPv4 the mask may be another. */
    record Block(boolean v6, BigInteger value, BigInteger mask) {
        /** Reads one; an IPv4 address may lack its last numbers. */
        static Block of(Statement at) throws JunosException {
            return of(at, at.word, at.column);
        }

        private static Block of(Statement at, String text, int column) throws JunosException {
            int slash = text.indexOf('/');
            String address = slash < 0 ? text : text.substring(0, slash);
            String length = slash < 0 ? "" : text.substring(slash + 1);
            boolean isV6 = address.indexOf(':') >= 0;
            int bits = isV6 ? V6_BITS : Integer.SIZE;
            try {
                BigInteger value =
                        isV6
                                ? new BigInteger(1, Literals.ipv6(address, column))
                                : unsigned(Literals.ipv4(whole(address), column));
                BigInteger mask;
                if (!isV6 && length.indexOf('.') >= 0) {
                    mask = unsigned(Literals.ipv4(length, column + slash + 1));
                } else {
                    int prefix =
                            length.isEmpty() && slash < 0
                                    ? bits
                                    : Literals.prefixLength(length, column + slash + 1, bits);
                    mask = ones(prefix).shiftLeft(bits - prefix);
                }
                return new Block(isV6, value.and(mask), mask);
            } catch (RuleSyntaxException e) {
                throw new JunosException(at.line, e);
            }
        }

        /** Its prefix length; -1 where the mask is no prefix. */
        int length() {
            int bits = v6 ? V6_BITS : Integer.SIZE;
            int length = mask.bitCount();
            return mask.equals(ones(length).shiftLeft(bits - length)) ? length : -1;
        }

        ValueSet.Range range() {
            BigInteger rest = ones(v6 ? V6_BITS : Integer.SIZE).xor(mask);
            return new ValueSet.Range(value, value.or(rest));
        }

        private static String whole(String address) {
            int missing = 3 - (int) address.chars().filter(c -> c == '.').count();
            return address + ".0".repeat(Math.max(0, missing));
        }

        private static BigInteger unsigned(int value) {
            return BigInteger.valueOf(Integer.toUnsignedLong(value));
        }
    }

    private static BigInteger ones(int bits) {
        return ValueSet.ones(bits);
    }

    /** Adds an address of a term, which has to be of its family. */
    void add(Statement address) throws JunosException {
        Block block = Block.of(address);
        if (block.v6 != v6) {
            throw address.refused(
                    "is no address of family %s; move it to a filter of the other family"
                            .formatted(v6 ? "inet6" : "inet"));
        }
        add(block, address.has("except"), address);
    }

    /** Adds an entry of a list, of which those of the other family do not count. */
    void addListed(Block block, boolean excepted, Statement at) throws JunosException {
        if (block.v6 == v6) {
            add(block, excepted, at);
        }
    }

    private void add(Block block, boolean excepted, Statement at) throws JunosException {
        int length = block.length();
        if (length < 0 && excepted) {
            throw at.refused(
                    "is an exception whose mask is no prefix; write the prefixes one by one");
        }
        if (length < 0) {
            masked.add(new BigInteger[] {block.value, block.mask});
        } else {
            (excepted ? except : plain)
                    .computeIfAbsent(length, none -> new ArrayList<>())
                    .add(block.range());
        }
    }

    /** Returns whether it has an exception besides a mask that is no prefix, which it cannot. */
    boolean isUnordered() {
        return !masked.isEmpty() && !except.isEmpty();
    }

    /**
     * The condition that an address is one of them.
     *
     * @throws IllegalArgumentException if one prefix is both listed and an exception
     */
    Condition condition(boolean source) {
        Field field =
                v6
                        ? source ? Field.IPV6_SRC : Field.IPV6_DST
                        : source ? Field.IPV4_SRC : Field.IPV4_DST;
        ValueSet some = NONE;
        for (int length = 0; length <= bits; length++) {
            List<ValueSet.Range> added = plain.getOrDefault(length, List.of());
            List<ValueSet.Range> taken = except.getOrDefault(length, List.of());
            if (added.stream().anyMatch(taken::contains)) {
                throw new IllegalArgumentException("a prefix is listed, and an exception, too");
            }
            if (!added.isEmpty()) {
                some = some.or(new ValueSet(added));
            }
            if (!taken.isEmpty()) {
                some = some.minus(new ValueSet(taken), bits);
            }
        }
        List<Condition> any = new ArrayList<>();
        any.add(new Condition.In(field, some));
        for (BigInteger[] one : masked) {
            any.add(new Condition.Bits(field, one[0], one[1]));
        }
        return Condition.any(any.toArray(Condition[]::new));
    }
}
