package dev.sluice.policy.iptables;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sets as {@code ipset save} prints them: {@code create} and {@code add} lines. */
final class IpSets {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final List<String> PARTS = List.of("ip", "net", "port", "mac");

    private final Map<String, IpSet> sets = new HashMap<>();

    /** Sets to which rules add elements, or from which they take some. */
    private final Set<String> changed = new HashSet<>();

    /**
     * A set: the kinds of an element's parts, and the elements as their words.
     *
     * @param mask the length of {@code netmask}, or the word {@code bitmask}; null: neither stands
     *     there
     */
    private record IpSet(
            String type,
            List<String> parts,
            boolean v6,
            @Nullable Word mask,
            List<Element> elements) {
        boolean isBitmap() {
            return type.startsWith("bitmap:");
        }
    }

    private record Element(Word words, boolean excepted) {}

    /** Reads a {@code create} or {@code add} line. */
    void read(List<Word> words) throws RuleSyntaxException {
        if (words.size() < 3) {
            throw words.get(0).refused("lacks the set's name and type or element; write them");
        }
        String name = words.get(1).text();
        Word third = words.get(2);
        if (words.get(0).is("create")) {
            int colon = third.text().indexOf(':');
            List<String> parts = List.of(third.text().substring(colon + 1).split(",", -1));
            boolean v6 = false;
            Word mask = null;
            for (int i = 3; i + 1 < words.size(); i++) {
                v6 |= words.get(i).is("family") && words.get(i + 1).is("inet6");
                mask =
                        words.get(i).is("netmask")
                                ? words.get(i + 1)
                                : words.get(i).is("bitmask") ? words.get(i) : mask;
            }
            sets.put(name, new IpSet(third.text(), parts, v6, mask, new ArrayList<>()));
            return;
        }
        IpSet set = sets.get(name);
        if (set == null) {
            throw words.get(1)
                    .refused("is no set that was created above; put its create line first");
        }
        boolean excepted = false;
        for (int i = 3; i < words.size(); i++) {
            excepted |= words.get(i).is("nomatch") && !words.get(i - 1).is("comment");
        }
        set.elements.add(new Element(third, excepted));
    }

    /** Notes that rules change some sets: nobody knows what these hold. */
    void change(Set<String> names) {
        changed.addAll(names);
    }

    /**
     * The condition that a packet is in a set.
     *
     * @param name the set
     * @param directions {@code src} or {@code dst} for each part of an element
     */
    Condition condition(Word name, Word directions, boolean v6) throws RuleSyntaxException {
        IpSet set = sets.get(name.text());
        if (set == null) {
            throw name.refused(
                    "is a set that the file does not hold; put the output of 'ipset save' before that of iptables-save");
        }
        String[] sides = directions.text().split(",", -1);
        for (String side : sides) {
            if (!side.equals("src") && !side.equals("dst")) {
                throw directions.refused("is not src or dst, or several of them with commas");
            }
        }
        for (String part : set.parts) {
            if (!PARTS.contains(part)) {
                throw name.refused(
                        "is of type %s, which Sluice does not read; it reads sets of ip, net, port and mac"
                                .formatted(set.type));
            }
        }
        if (sides.length < set.parts.size()) {
            throw directions.refused(
                    "names fewer sides than an element of type %s has parts; name %d"
                            .formatted(set.type, set.parts.size()));
        }
        if (changed.contains(name.text())) {
            return new Condition.Unknown(
                    "--match-set %s, a set that rules change".formatted(name.text()));
        }
        if (set.mask != null && (!set.parts.equals(List.of("ip")) || set.mask.is("bitmask"))) {
            throw name.refused(
                    "is of type %s with %s, which Sluice does not read; use a set of net"
                            .formatted(set.type, set.mask.is("bitmask") ? "bitmask" : "netmask"));
        }
        boolean addressed = set.parts.contains("ip") || set.parts.contains("net");
        if (addressed && set.v6 != v6) {
            return Condition.NEVER;
        }
        if (set.parts.size() == 1 && addressed) {
            Field field = new Addresses(v6).field(sides[0].equals("src"));
            return new Condition.In(field, addresses(set));
        }
        return any(set, sides);
    }

    /** Addresses of a set of one part; the longest prefix that holds an address counts. */
    private static ValueSet addresses(IpSet set) throws RuleSyntaxException {
        Addresses addresses = new Addresses(set.v6);
        Map<ValueSet, Boolean> exceptions = new LinkedHashMap<>();
        List<ValueSet.Range> all = new ArrayList<>();
        for (Element element : set.elements) {
            ValueSet values = addresses.element(element.words);
            if (set.mask != null) {
                values = widened(values, set.v6 ? 128 : 32, set.mask);
            }
            exceptions.put(values, element.excepted);
            all.addAll(values.ranges());
        }
        if (!exceptions.containsValue(true)) {
            return new ValueSet(all);
        }
        List<ValueSet> bySize = new ArrayList<>(exceptions.keySet());
        bySize.sort(Comparator.comparing(IpSets::size).reversed());
        int bits = set.v6 ? 128 : 32;
        ValueSet in = new ValueSet(List.of());
        for (ValueSet values : bySize) {
            in =
                    exceptions.getOrDefault(values, false)
                            ? in.complement(bits).or(values).complement(bits)
                            : in.or(values);
        }
        return in;
    }

    /** All addresses that a set takes for one of some: those that are the same under its mask. */
    private static ValueSet widened(ValueSet values, int bits, Word length)
            throws RuleSyntaxException {
        BigInteger rest =
                BigInteger.ONE.shiftLeft(bits - (int) length.number(bits)).subtract(BigInteger.ONE);
        return new ValueSet(
                values.ranges().stream()
                        .map(
                                range ->
                                        new ValueSet.Range(
                                                range.low().andNot(rest), range.high().or(rest)))
                        .toList());
    }

    private static BigInteger size(ValueSet values) {
        if (values.ranges().isEmpty()) {
            return BigInteger.ZERO;
        }
        ValueSet.Range range = values.ranges().get(0);
        return range.high().subtract(range.low());
    }

    private static Condition any(IpSet set, String[] sides) throws RuleSyntaxException {
        List<Condition> all = new ArrayList<>();
        for (Element element : set.elements) {
            if (element.excepted) {
                throw element.words.refused(
                        "is an exception in a set of several parts, which Sluice does not read; use a set of net");
            }
            String[] parts = element.words.text().split(",", -1);
            if (parts.length != set.parts.size()) {
                throw element.words.refused(
                        "has not the %d parts of an element of type %s"
                                .formatted(set.parts.size(), set.type));
            }
            List<Condition> each = new ArrayList<>();
            int column = element.words.column();
            for (int i = 0; i < parts.length; i++) {
                Word part = new Word(parts[i], column);
                each.add(part(set, set.parts.get(i), part, sides[i].equals("src")));
                column += parts[i].length() + 1;
            }
            all.add(new Condition.All(each));
        }
        return new Condition.Any(all);
    }

    private static Condition part(IpSet set, String kind, Word word, boolean source)
            throws RuleSyntaxException {
        if (kind.equals("mac")) {
            long mac = Literals.mac(word.text(), word.column());
            return Condition.is(source ? Field.ETH_SRC : Field.ETH_DST, mac);
        }
        if (!kind.equals("port")) {
            Addresses addresses = new Addresses(set.v6);
            return new Condition.In(addresses.field(source), addresses.element(word));
        }
        Field field = source ? Field.SRC_PORT : Field.DST_PORT;
        int colon = word.text().indexOf(':');
        Word ports = new Word(word.text().substring(colon + 1), word.column() + colon + 1);
        Condition port = new Condition.In(field, Ports.range(ports, '-'));
        if (set.isBitmap()) { // a protocol there only helps to read a service's name
            ValueSet protocols = ValueSet.of(TCP).or(ValueSet.of(UDP));
            return Condition.all(new Condition.In(Field.IP_PROTO, protocols), port);
        }
        String protocol = colon < 0 ? "tcp" : word.text().substring(0, colon);
        Integer number = NetworkNames.PROTOCOLS.get(protocol);
        if (number == null || !NetworkNames.WITH_PORTS.contains(number)) {
            throw word.refused("names no protocol with ports; write it as in tcp:80");
        }
        return Condition.all(Condition.is(Field.IP_PROTO, number), port);
    }
}
