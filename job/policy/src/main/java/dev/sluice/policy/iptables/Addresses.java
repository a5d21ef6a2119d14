package dev.sluice.policy.iptables;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.RouteTypes;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Conditions on IP addresses, as iptables writes them. */
final class Addresses {
    private static final Pattern PART = Pattern.compile("0[xX][0-9a-fA-F]{1,2}|[0-9]{1,4}");

    /** Types of addresses that only the host's routes tell. */
    private static final Set<String> ROUTED =
            Set.of(
                    "UNICAST",
                    "LOCAL",
                    "ANYCAST",
                    "BLACKHOLE",
                    "UNREACHABLE",
                    "PROHIBIT",
                    "THROW",
                    "NAT",
                    "XRESOLVE",
                    "UNSPEC",
                    "BROADCAST");

    private final boolean v6;

    Addresses(boolean v6) {
        this.v6 = v6;
    }

    Field field(boolean source) {
        return v6
                ? source ? Field.IPV6_SRC : Field.IPV6_DST
                : source ? Field.IPV4_SRC : Field.IPV4_DST;
    }

    /** Addresses, prefixes or addresses with masks, parted by commas. */
    Condition list(boolean source, Word words) throws RuleSyntaxException {
        List<Condition> each = new ArrayList<>();
        int column = words.column();
        for (String part : words.text().split(",", -1)) {
            each.add(one(source, new Word(part, column)));
            column += part.length() + 1;
        }
        return each.size() == 1 ? each.get(0) : new Condition.Any(each);
    }

    private Condition one(boolean source, Word word) throws RuleSyntaxException {
        int slash = word.text().indexOf('/');
        if (slash >= 0 && word.text().indexOf('.', slash) > 0 && !v6) {
            int address = ipv4(new Word(word.text().substring(0, slash), word.column()), false);
            int mask =
                    ipv4(
                            new Word(word.text().substring(slash + 1), word.column() + slash + 1),
                            true);
            if ((~mask & ~mask + 1) != 0) { // no prefix
                return new Condition.Bits(field(source), address & mask, mask);
            }
            int length = Integer.bitCount(mask);
            return new Condition.In(field(source), block(number(address), length));
        }
        if (slash >= 0 && word.text().indexOf(':', slash) > 0 && v6) {
            BigInteger mask = address(word.from(slash + 1));
            BigInteger address = address(word.upTo(slash)).and(mask);
            return new Condition.Bits(field(source), address, mask);
        }
        return new Condition.In(field(source), prefix(word));
    }

    /** An address or a prefix. */
    ValueSet prefix(Word word) throws RuleSyntaxException {
        int bits = v6 ? 128 : 32;
        int slash = word.text().indexOf('/');
        if (slash < 0) {
            BigInteger address = address(word);
            return ValueSet.of(address, address);
        }
        BigInteger address = address(new Word(word.text().substring(0, slash), word.column()));
        int length =
                Literals.prefixLength(
                        word.text().substring(slash + 1), word.column() + slash + 1, bits);
        return block(address, length);
    }

    private ValueSet block(BigInteger address, int length) {
        int free = (v6 ? 128 : 32) - length;
        BigInteger low = address.shiftRight(free).shiftLeft(free);
        return ValueSet.of(low, low.add(BigInteger.ONE.shiftLeft(free)).subtract(BigInteger.ONE));
    }

    /** Addresses of an element of a set: an address, a prefix or a range. */
    ValueSet element(Word word) throws RuleSyntaxException {
        return word.text().indexOf('-') < 0 ? prefix(word) : range(word);
    }

    /** A range of addresses, or one address. */
    ValueSet range(Word word) throws RuleSyntaxException {
        int dash = word.text().indexOf('-');
        if (dash < 0) {
            return ValueSet.of(address(word), address(word));
        }
        return ValueSet.of(
                address(new Word(word.text().substring(0, dash), word.column())),
                address(new Word(word.text().substring(dash + 1), word.column() + dash + 1)));
    }

    private BigInteger address(Word word) throws RuleSyntaxException {
        return v6
                ? new BigInteger(1, Literals.ipv6(word.text(), word.column()))
                : number(ipv4(word, false));
    }

    /** An address as iptables reads it: numbers as in C, and final zeros may be left out. */
    private static int ipv4(Word word, boolean whole) throws RuleSyntaxException {
        long plain = Literals.plainIpv4(word.text());
        return plain >= 0 ? (int) plain : oddIpv4(word, whole);
    }

    private static int oddIpv4(Word word, boolean whole) throws RuleSyntaxException {
        String[] parts = word.text().split("\\.", -1);
        boolean good = parts.length == 4 || !whole && parts.length < 4;
        int address = 0;
        for (int i = 0; i < 4 && good; i++) {
            String part = i < parts.length ? parts[i] : "0";
            good = PART.matcher(part).matches();
            address = address << 8 | (good ? (int) new Word(part, word.column()).number(255) : 0);
        }
        if (!good) {
            throw word.refused(
                    "is not an IPv4 address; write four numbers up to 255, as in 192.0.2.1");
        }
        return address;
    }

    private static BigInteger number(int address) {
        return BigInteger.valueOf(address & 0xffffffffL);
    }

    /**
     * Addresses of types, as the kernel's routes type them.
     *
     * @param ofOne whether only the routes of one interface count, which no file tells
     */
    Condition types(boolean source, Word words, boolean ofOne) throws RuleSyntaxException {
        String upper = words.text().toUpperCase(Locale.ROOT);
        Set<String> types = new TreeSet<>(List.of(upper.split(",", -1)));
        for (String type : types) {
            if (!ROUTED.contains(type) && !type.equals("MULTICAST")) {
                throw words.refused(
                        "names no type of addresses; write some of LOCAL, UNICAST, BROADCAST, MULTICAST");
            }
        }
        Field field = field(source);
        String unknown = "--" + (source ? "src" : "dst") + "-type " + words.text();
        return v6
                ? types6(field, types, words, unknown, ofOne)
                : new Condition.Any(
                        types.stream()
                                .map(type -> RouteTypes.ipv4(field, type, unknown, ofOne))
                                .toList());
    }

    /**
     * The condition of {@code -m rpfilter}: packets to the sender would leave by the interface that
     * the packet came in by, and what loopback brings. It is unknown of IPv6, which looks at routes
     * of greater metrics, too.
     */
    Condition reversePath(String words) {
        if (v6 || words.contains("--loose") || words.contains("--accept-local")) {
            return new Condition.Unknown(words);
        }
        Condition returning =
                Condition.any(
                        new Condition.Interface(true, "lo"),
                        new Condition.OfHost(field(true), Condition.AddressType.RETURNING, words));
        return words.contains("--invert") ? Condition.not(returning) : returning;
    }

    /** Types of IPv6, which overlap: an address is of all that are named. */
    private Condition types6(
            Field field, Set<String> types, Word words, String unknown, boolean ofOne)
            throws RuleSyntaxException {
        ValueSet multicast = set("ff00::/8");
        ValueSet loopback = ofOne ? new ValueSet(List.of()) : set("::1");
        List<Condition> all = new ArrayList<>();
        if (types.contains("BROADCAST")) {
            throw words.refused("names broadcast addresses, which IPv6 has not; remove the word");
        }
        if (types.contains("MULTICAST")) {
            all.add(new Condition.In(field, multicast));
        }
        if (types.contains("UNICAST")) {
            ValueSet others = multicast.or(set("::")).or(set("::ffff:0:0/96"));
            all.add(new Condition.In(field, others.complement(field.bits())));
        }
        if (types.contains("LOCAL")) {
            Condition elsewhere =
                    new Condition.In(field, multicast.or(loopback).complement(field.bits()));
            Condition local = RouteTypes.ofHost(field, Condition.AddressType.LOCAL, unknown, ofOne);
            all.add(
                    Condition.any(
                            new Condition.In(field, loopback), Condition.all(elsewhere, local)));
        }
        return new Condition.All(all);
    }

    private ValueSet set(String prefix) throws RuleSyntaxException {
        return prefix(new Word(prefix, 1));
    }
}
