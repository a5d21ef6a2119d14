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
import java.util.List;
import java.util.Set;

/**
 * Elements of a set of other things than addresses alone.
 *
 * @param parts kinds of an element's parts
 * @param bitmap whether the set is a bitmap, whose ports are of TCP and UDP alike
 * @param sides {@code src} or {@code dst} for each part
 */
record SetElements(List<String> parts, boolean bitmap, boolean v6, List<String> sides) {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int MOST_PROTOCOL = 0xff;

    /** Protocols of which the kernel reads ports there. */
    private static final Set<Integer> WITH_PORTS = Set.of(TCP, UDP, 132, 136);

    /**
     * Element of a set.
     *
     * @param excepted whether what it holds is not in the set, though a larger element holds it
     * @param begins whether its interface is the begin of a name
     */
    record Element(Word words, boolean excepted, boolean begins) {}

    /**
     * An element that was read.
     *
     * @param networks its addresses, of each part that has some
     */
    private record Read(Condition condition, boolean excepted, List<ValueSet.Prefix> networks) {
        boolean meets(Read other) {
            for (int i = 0; i < networks.size(); i++) {
                ValueSet.Prefix a = networks.get(i);
                ValueSet.Prefix b = other.networks.get(i);
                if (a.value().xor(b.value()).and(a.mask()).and(b.mask()).signum() != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Longest networks first, as the kernel looks for elements: those of the first part count. */
    private static final Comparator<Read> LONGEST =
            (a, b) -> {
                int order = 0;
                for (int i = 0; i < a.networks.size() && order == 0; i++) {
                    BigInteger other = b.networks.get(i).mask();
                    order = other.compareTo(a.networks.get(i).mask());
                }
                return order;
            };

    /** The condition that a packet is in the set. */
    Condition condition(List<Element> elements) throws RuleSyntaxException {
        boolean excepts = elements.stream().anyMatch(Element::excepted);
        List<Condition> any = new ArrayList<>();
        List<Read> read = new ArrayList<>();
        for (Element element : elements) {
            if (excepts) {
                split(element, read);
            } else {
                any.add(whole(element));
            }
        }
        read.sort(LONGEST);
        List<Read> exceptions = new ArrayList<>();
        for (Read one : read) {
            if (one.excepted) {
                exceptions.add(one);
                continue;
            }
            List<Condition> all = new ArrayList<>(List.of(one.condition));
            exceptions.stream()
                    .filter(longer -> LONGEST.compare(longer, one) < 0 && longer.meets(one))
                    .forEach(longer -> all.add(Condition.not(longer.condition)));
            any.add(all.size() == 1 ? one.condition : new Condition.All(all));
        }
        return new Condition.Any(any);
    }

    private List<Word> words(Element element) throws RuleSyntaxException {
        Word words = element.words();
        String[] texts = words.text().split(",", -1);
        if (texts.length != parts.size()) {
            throw words.refused("has not the %d parts of an element".formatted(parts.size()));
        }
        List<Word> each = new ArrayList<>();
        int column = words.column();
        for (String text : texts) {
            each.add(new Word(text, column));
            column += text.length() + 1;
        }
        return each;
    }

    private Condition whole(Element element) throws RuleSyntaxException {
        List<Word> words = words(element);
        List<Condition> each = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            each.add(
                    isAddress(i)
                            ? new Condition.In(field(i), addresses().element(words.get(i)))
                            : part(i, words.get(i), element));
        }
        return new Condition.All(each);
    }

    /** Adds what stands for an element, with a network of each part that has addresses. */
    private void split(Element element, List<Read> read) throws RuleSyntaxException {
        List<Word> words = words(element);
        List<Read> some = List.of(new Read(Condition.ALWAYS, element.excepted(), List.of()));
        for (int i = 0; i < words.size(); i++) {
            List<Read> more = new ArrayList<>();
            for (Read one : some) {
                if (!isAddress(i)) {
                    Condition both = Condition.all(one.condition, part(i, words.get(i), element));
                    more.add(new Read(both, one.excepted, one.networks));
                    continue;
                }
                ValueSet values = addresses().element(words.get(i));
                for (ValueSet.Prefix prefix : values.prefixes(v6 ? 128 : 32)) {
                    Condition bits = new Condition.Bits(field(i), prefix.value(), prefix.mask());
                    List<ValueSet.Prefix> networks = new ArrayList<>(one.networks);
                    networks.add(prefix);
                    more.add(new Read(Condition.all(one.condition, bits), one.excepted, networks));
                }
            }
            some = more;
        }
        read.addAll(some);
    }

    private boolean isAddress(int part) {
        return parts.get(part).equals("ip") || parts.get(part).equals("net");
    }

    private Addresses addresses() {
        return new Addresses(v6);
    }

    private Field field(int part) {
        return addresses().field(isSource(part));
    }

    private boolean isSource(int part) {
        return sides.get(part).equals("src");
    }

    private Condition part(int part, Word word, Element element) throws RuleSyntaxException {
        return switch (parts.get(part)) {
            case "mac" ->
                    Condition.is(
                            isSource(part) ? Field.ETH_SRC : Field.ETH_DST,
                            Literals.mac(word.text(), word.column()));
            case "iface" ->
                    word.text().startsWith("physdev:")
                            ? new Condition.Unknown("a port of a bridge in a set")
                            : new Condition.Interface(
                                    isSource(part), word.text() + (element.begins() ? "+" : ""));
            default -> port(part, word);
        };
    }

    private Condition port(int part, Word word) throws RuleSyntaxException {
        int colon = word.text().indexOf(':');
        Field field = isSource(part) ? Field.SRC_PORT : Field.DST_PORT;
        Word ports = word.from(colon + 1);
        if (bitmap) { // a protocol there only helps to read a service's name
            ValueSet protocols = ValueSet.of(TCP).or(ValueSet.of(UDP));
            return Condition.all(
                    new Condition.In(Field.IP_PROTO, protocols),
                    new Condition.In(field, Ports.range(ports, '-')));
        }
        int protocol = colon < 0 ? TCP : protocol(word.upTo(colon));
        Condition is = Condition.is(Field.IP_PROTO, protocol);
        if (WITH_PORTS.contains(protocol)) {
            return Condition.all(is, new Condition.In(field, Ports.range(ports, '-')));
        }
        if (protocol == (v6 ? ICMP6 : ICMP)) {
            return Condition.all(is, Ports.exactIcmpType(ports, v6));
        }
        if (!ports.is("0") || protocol == ICMP || protocol == ICMP6) {
            throw word.refused("is of a protocol without ports; write 0 behind it, as in gre:0");
        }
        return is;
    }

    private static int protocol(Word word) throws RuleSyntaxException {
        Integer known = NetworkNames.PROTOCOLS.get(word.text());
        return known == null ? (int) word.number(MOST_PROTOCOL) : known;
    }
}
