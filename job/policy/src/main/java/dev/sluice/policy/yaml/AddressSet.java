package dev.sluice.policy.yaml;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Set of IPv4 and IPv6 addresses.
 *
 * @param v4 its addresses of IPv4, as unsigned numbers
 * @param v6 its addresses of IPv6
 */
public record AddressSet(ValueSet v4, ValueSet v6) {
    private static final int V6_BITS = 128;
    private static final ValueSet EMPTY = new ValueSet(List.of());

    /** No address. */
    public static final AddressSet NONE = new AddressSet(EMPTY, EMPTY);

    /** All addresses. */
    public static final AddressSet ALL =
            new AddressSet(EMPTY.complement(Integer.SIZE), EMPTY.complement(V6_BITS));

    /** An address, without a prefix length. */
    public static AddressSet address(YamlNode node) throws YamlException {
        String text = node.string();
        if (text.indexOf('/') >= 0) {
            throw node.at().refused(text, "is no address; write it without a prefix length");
        }
        return block(node, text, "");
    }

    /** An address with a prefix length; bits behind it count as 0. */
    public static AddressSet block(YamlNode node) throws YamlException {
        String text = node.string();
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw node.at().refused(text, "is no block; write its prefix length, as in 10.0.0.0/8");
        }
        return block(node, text.substring(0, slash), text.substring(slash + 1));
    }

    /** The block {@code cidr} without those of {@code except}, which it holds. */
    public static AddressSet blockWithout(YamlFields fields) throws YamlException {
        AddressSet block = block(fields.require("cidr"));
        AddressSet rest = block;
        for (YamlNode each : fields.list("except")) {
            AddressSet except = block(each);
            if (!except.minus(block).isEmpty()) {
                throw each.at()
                        .refused(each.string(), "is not within its cidr; write a part of it");
            }
            rest = rest.minus(except);
        }
        return rest;
    }

    /** An address with or without a prefix length. */
    public static AddressSet addressOrBlock(YamlNode node) throws YamlException {
        return node.string().indexOf('/') < 0 ? address(node) : block(node);
    }

    private static AddressSet block(YamlNode node, String address, String length)
            throws YamlException {
        boolean isV6 = address.indexOf(':') >= 0;
        int bits = isV6 ? V6_BITS : Integer.SIZE;
        int column = node.at().column();
        try {
            BigInteger value =
                    isV6
                            ? new BigInteger(1, Literals.ipv6(address, column))
                            : BigInteger.valueOf(Literals.ipv4(address, column) & 0xffffffffL);
            int prefix =
                    length.isEmpty()
                            ? bits
                            : Literals.prefixLength(length, column + address.length() + 1, bits);
            BigInteger low = value.shiftRight(bits - prefix).shiftLeft(bits - prefix);
            BigInteger size = BigInteger.ONE.shiftLeft(bits - prefix);
            ValueSet values = ValueSet.of(low, low.add(size).subtract(BigInteger.ONE));
            return isV6 ? new AddressSet(EMPTY, values) : new AddressSet(values, EMPTY);
        } catch (RuleSyntaxException e) {
            throw node.at().refused(e);
        }
    }

    /** The addresses of all sets. */
    public static AddressSet of(Iterable<AddressSet> sets) {
        List<ValueSet.Range> v4 = new ArrayList<>();
        List<ValueSet.Range> v6 = new ArrayList<>();
        for (AddressSet set : sets) {
            v4.addAll(set.v4.ranges());
            v6.addAll(set.v6.ranges());
        }
        return new AddressSet(new ValueSet(v4), new ValueSet(v6));
    }

    /** The addresses of either set. */
    public AddressSet or(AddressSet other) {
        return new AddressSet(v4.or(other.v4), v6.or(other.v6));
    }

    /** The addresses of this set that are not in the other one. */
    public AddressSet minus(AddressSet other) {
        return new AddressSet(v4.minus(other.v4, Integer.SIZE), v6.minus(other.v6, V6_BITS));
    }

    /** The addresses of both sets. */
    public AddressSet and(AddressSet other) {
        return minus(minus(other));
    }

    /** Its ranges, one by one. */
    public List<AddressSet> each() {
        List<AddressSet> all = new ArrayList<>();
        v4.ranges().forEach(r -> all.add(new AddressSet(new ValueSet(List.of(r)), EMPTY)));
        v6.ranges().forEach(r -> all.add(new AddressSet(EMPTY, new ValueSet(List.of(r)))));
        return all;
    }

    /** The third address of each of its ranges. */
    public AddressSet third() {
        return new AddressSet(third(v4), third(v6));
    }

    private static ValueSet third(ValueSet of) {
        ValueSet all = EMPTY;
        for (ValueSet.Range range : of.ranges()) {
            BigInteger third = range.low().add(BigInteger.TWO);
            all = all.or(ValueSet.of(third, third));
        }
        return all;
    }

    /** Its IPv4 addresses. */
    public AddressSet onlyV4() {
        return new AddressSet(v4, EMPTY);
    }

    /** Its IPv6 addresses. */
    public AddressSet onlyV6() {
        return new AddressSet(EMPTY, v6);
    }

    /** Returns whether it has no address. */
    public boolean isEmpty() {
        return v4.ranges().isEmpty() && v6.ranges().isEmpty();
    }

    /** The packets of the IP versions that it has addresses of. */
    public Condition versions() {
        List<Condition> versions = new ArrayList<>();
        if (!v4.ranges().isEmpty()) {
            versions.add(is(Field.IP_VERSION, Field.VERSION_4));
        }
        if (!v6.ranges().isEmpty()) {
            versions.add(is(Field.IP_VERSION, Field.VERSION_6));
        }
        return Condition.any(versions.toArray(Condition[]::new));
    }

    /** The condition that a packet comes from one of them, or goes to one. */
    public Condition condition(boolean source) {
        List<Condition> versions = new ArrayList<>();
        if (!v4.ranges().isEmpty()) {
            versions.add(
                    all(
                            is(Field.IP_VERSION, Field.VERSION_4),
                            new Condition.In(source ? Field.IPV4_SRC : Field.IPV4_DST, v4)));
        }
        if (!v6.ranges().isEmpty()) {
            versions.add(
                    all(
                            is(Field.IP_VERSION, Field.VERSION_6),
                            new Condition.In(source ? Field.IPV6_SRC : Field.IPV6_DST, v6)));
        }
        return versions.size() == 1 ? versions.get(0) : new Condition.Any(versions);
    }
}
