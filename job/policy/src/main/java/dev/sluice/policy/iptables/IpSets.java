package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.iptables.SetElements.Element;
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
    private static final List<String> PARTS = List.of("ip", "net", "port", "mac", "iface");

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

        boolean isList() {
            return type.equals("list:set");
        }
    }

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
        boolean begins = false;
        for (int i = 3; i < words.size(); i++) {
            boolean plain = !words.get(i - 1).is("comment");
            excepted |= plain && words.get(i).is("nomatch");
            begins |= plain && words.get(i).is("wildcard");
        }
        set.elements.add(new Element(third, excepted, begins));
    }

    /**
     * Returns whether rules of a file use a set, or may: a list of sets holds it, it is of the
     * other IP version, whose rules stand in another file, or of no addresses.
     *
     * @param named words of the file's rules
     */
    boolean isUsed(String name, boolean v6, Set<String> named) {
        IpSet set = sets.get(name);
        boolean addressed = set != null && (set.parts.contains("ip") || set.parts.contains("net"));
        return set == null
                || !addressed
                || set.v6 != v6
                || named.contains(name)
                || sets.values().stream()
                        .filter(IpSet::isList)
                        .flatMap(list -> list.elements.stream())
                        .anyMatch(element -> element.words().is(name));
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
        return condition(name, set, sides, v6);
    }

    private Condition condition(Word name, IpSet set, String[] sides, boolean v6)
            throws RuleSyntaxException {
        for (String part : set.parts) {
            if (!PARTS.contains(part) && !set.isList()) {
                throw name.refused(
                        "is of type %s, which Sluice does not read; it reads sets of ip, net, port, mac, iface, and lists of sets"
                                .formatted(set.type));
            }
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
        if (sides.length < set.parts.size()) {
            return Condition.NEVER; // as the kernel says
        }
        if (set.isList()) {
            List<Condition> members = new ArrayList<>();
            for (Element element : set.elements) {
                members.add(condition(element.words(), member(element.words()), sides, v6));
            }
            return new Condition.Any(members);
        }
        boolean addressed = set.parts.contains("ip") || set.parts.contains("net");
        if (addressed && set.v6 != v6) {
            return Condition.NEVER;
        }
        if (set.parts.size() == 1 && addressed) {
            Field field = new Addresses(v6).field(sides[0].equals("src"));
            return new Condition.In(field, addresses(set));
        }
        return new SetElements(set.parts, set.isBitmap(), v6, List.of(sides))
                .condition(set.elements);
    }

    private IpSet member(Word name) throws RuleSyntaxException {
        IpSet set = sets.get(name.text());
        if (set == null || set.isList()) {
            throw name.refused("is no set that a list may hold; put its create line before it");
        }
        return set;
    }

    /** Addresses of a set of one part; the longest prefix that holds an address counts. */
    private static ValueSet addresses(IpSet set) throws RuleSyntaxException {
        Addresses addresses = new Addresses(set.v6);
        boolean excepts = set.elements.stream().anyMatch(Element::excepted);
        Map<ValueSet, Boolean> exceptions = new LinkedHashMap<>();
        List<ValueSet.Range> all = new ArrayList<>();
        for (Element element : set.elements) {
            ValueSet values = addresses.element(element.words());
            if (set.mask != null) {
                values = widened(values, set.v6 ? 128 : 32, set.mask);
            }
            if (excepts) {
                exceptions.put(values, element.excepted());
            } else {
                all.addAll(values.ranges());
            }
        }
        if (!excepts) {
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
        BigInteger rest = ValueSet.ones(bits - (int) length.number(bits));
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
}
