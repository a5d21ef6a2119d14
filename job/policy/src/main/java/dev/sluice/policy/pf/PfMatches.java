package dev.sluice.policy.pf;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Conditions of rules for pf on interfaces and transport headers. */
final class PfMatches {
    private static final int TCP = 6;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final Integer PFSYNC = 240;
    private static final long MOST_PORT = 0xffff;
    private static final long MOST_BYTE = 0xff;

    private PfMatches() {}

    /** The condition behind {@code on}, by whether packets come in. */
    static Function<Boolean, Condition> interfaces(PfCursor at) throws RuleSyntaxException {
        List<Function<Boolean, Condition>> any = new ArrayList<>();
        at.list(
                () -> {
                    boolean negated = at.take("!");
                    PfToken word = at.word("an interface");
                    if (word.is("rdomain")) {
                        Condition rdomain = unknown("rdomain " + at.word("a number").text());
                        any.add(incoming -> negated ? Condition.not(rdomain) : rdomain);
                        return;
                    }
                    String name = word.text();
                    any.add(
                            incoming ->
                                    negated
                                            ? Condition.not(named(name, incoming))
                                            : named(name, incoming));
                });
        return incoming ->
                FirewallRules.anyOf(any.stream().map(one -> one.apply(incoming)).toList());
    }

    /** An interface, or those of a group. */
    static Condition named(String name, boolean incoming) {
        if (name.equals("any")) {
            return Condition.ALWAYS;
        }
        Condition exact = new Condition.Interface(incoming, name);
        if (Character.isDigit(name.charAt(Math.max(0, name.length() - 1)))) {
            return exact;
        }
        return PfNames.DRIVERS.contains(name)
                ? new Condition.Interface(incoming, name + "+")
                : any(exact, unknown("the interfaces of group " + name));
    }

    static Condition unknown(String words) {
        return new Condition.Unknown(words);
    }

    /** The protocols behind {@code proto}. */
    static List<Integer> protocols(PfCursor at) throws RuleSyntaxException {
        List<Integer> numbers = new ArrayList<>();
        at.list(
                () -> {
                    PfToken word = at.word("a protocol");
                    Integer number =
                            word.is("pfsync") ? PFSYNC : NetworkNames.PROTOCOLS.get(word.text());
                    numbers.add(
                            number != null
                                    ? number
                                    : (int) Literals.number(word.text(), word.column(), MOST_BYTE));
                });
        return numbers;
    }

    static Condition protocol(List<Integer> numbers) {
        ValueSet values = new ValueSet(List.of());
        for (int number : numbers) {
            values = values.or(ValueSet.of(number));
        }
        return new Condition.In(Field.IP_PROTO, values);
    }

    /** The ports behind {@code port}. */
    static ValueSet ports(PfCursor at) throws RuleSyntaxException {
        List<ValueSet> all = new ArrayList<>();
        at.list(() -> all.add(portsOf(at)));
        return all.stream().reduce(new ValueSet(List.of()), ValueSet::or);
    }

    private static ValueSet portsOf(PfCursor at) throws RuleSyntaxException {
        PfToken first = at.word("a port");
        switch (first.text()) {
            case "=" -> {
                return range(at.word("a port"));
            }
            case "!=" -> {
                return range(at.word("a port")).complement(Field.DST_PORT.bits());
            }
            case "!" -> {
                at.take("=");
                return range(at.word("a port")).complement(Field.DST_PORT.bits());
            }
            case "<" -> {
                return ValueSet.of(0, port(at.word("a port")) - 1);
            }
            case "<=" -> {
                return ValueSet.of(0, port(at.word("a port")));
            }
            case ">" -> {
                return ValueSet.of(port(at.word("a port")) + 1, MOST_PORT);
            }
            case ">=" -> {
                return ValueSet.of(port(at.word("a port")), MOST_PORT);
            }
            default -> {
                if (at.take("><")) {
                    return ValueSet.of(port(first) + 1, port(at.word("a port")) - 1);
                }
                if (at.take("<>")) {
                    ValueSet inside = ValueSet.of(port(first), port(at.word("a port")));
                    return inside.complement(Field.DST_PORT.bits());
                }
                return range(first);
            }
        }
    }

    private static ValueSet range(PfToken word) throws RuleSyntaxException {
        int colon = word.text().indexOf(':');
        if (colon < 0) {
            return ValueSet.of(port(word));
        }
        String high = word.text().substring(colon + 1);
        ValueSet values =
                ValueSet.of(
                        port(word.text().substring(0, colon), word),
                        high.equals("*") ? MOST_PORT : port(high, word));
        if (values.ranges().isEmpty()) {
            throw word.refused("is an empty range; write the lower port first");
        }
        return values;
    }

    private static long port(PfToken word) throws RuleSyntaxException {
        return port(word.text(), word);
    }

    private static long port(String text, PfToken word) throws RuleSyntaxException {
        Integer service = NetworkNames.SERVICES.get(text);
        if (service != null) {
            return service;
        }
        if (!text.matches("[0-9]+")) {
            throw word.refused("names no port that Sluice knows; write its number");
        }
        return Literals.number(text, word.column(), MOST_PORT);
    }

    /** The types and codes behind {@code icmp-type} or {@code icmp6-type}. */
    static Condition icmp(PfCursor at, boolean v6) throws RuleSyntaxException {
        List<Condition> types = new ArrayList<>();
        Map<String, Integer> names = v6 ? PfNames.ICMP6 : PfNames.ICMP;
        Map<String, Integer> codes = v6 ? PfNames.CODES6 : PfNames.CODES;
        at.list(
                () -> {
                    Condition type = is(Field.SRC_PORT, number(at.word("a type"), names));
                    types.add(
                            at.take("code")
                                    ? all(
                                            type,
                                            is(Field.DST_PORT, number(at.word("a code"), codes)))
                                    : type);
                });
        return all(
                is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4),
                is(Field.IP_PROTO, v6 ? ICMP6 : ICMP),
                FirewallRules.anyOf(types));
    }

    private static long number(PfToken word, Map<String, Integer> names)
            throws RuleSyntaxException {
        Integer number = names.get(word.text());
        if (number == null && !word.text().matches("[0-9]+")) {
            throw word.refused("names no type or code of ICMP; write its number");
        }
        return number != null ? number : Literals.number(word.text(), word.column(), MOST_BYTE);
    }

    /** The flags behind {@code flags}, which packets of TCP alone have. */
    static Condition flags(PfCursor at) throws RuleSyntaxException {
        PfToken word = at.word("flags, as in S/SA");
        if (word.is("any")) {
            return Condition.ALWAYS;
        }
        int slash = word.text().indexOf('/');
        int mask = bits(slash < 0 ? "" : word.text().substring(slash + 1), word);
        int set = bits(slash < 0 ? word.text() : word.text().substring(0, slash), word);
        if (slash < 0 || (set & ~mask) != 0) {
            throw word.refused("is no pair of flags and their mask; write them as in S/SA");
        }
        return flags(set, mask);
    }

    /** Flags of TCP; packets of other protocols meet the condition. */
    static Condition flags(int set, int mask) {
        ValueSet others = ValueSet.of(TCP).complement(Field.IP_PROTO.bits());
        return any(
                new Condition.In(Field.IP_PROTO, others),
                all(is(Field.IP_PROTO, TCP), new Condition.Bits(Field.TCP_FLAGS, set, mask)));
    }

    private static int bits(String letters, PfToken word) throws RuleSyntaxException {
        int bits = 0;
        for (int i = 0; i < letters.length(); i++) {
            int bit = PfNames.FLAGS.indexOf(letters.charAt(i));
            if (bit < 0) {
                throw word.refused("names no TCP flag; write letters of " + PfNames.FLAGS);
            }
            bits |= 1 << bit;
        }
        return bits;
    }

    /** Protocols with ports that rules of pf may name. */
    static boolean havePorts(List<Integer> protocols) {
        return !protocols.isEmpty() && Set.of(TCP, 17, 132).containsAll(protocols);
    }
}
