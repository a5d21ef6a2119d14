package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Conditions on transport headers, as iptables writes them. */
final class Ports {
    private static final long MOST_PORT = 0xffff;
    private static final long MOST_TYPE = 0xff;
    private static final List<String> FLAGS = List.of("FIN", "SYN", "RST", "PSH", "ACK", "URG");

    /** A type of ICMP and its codes. */
    private record Icmp(int type, int lowCode, int highCode) {}

    private static final Map<String, Icmp> ICMP =
            Map.ofEntries(
                    icmp("echo-reply", 0),
                    icmp("pong", 0),
                    icmp("destination-unreachable", 3),
                    icmp("network-unreachable", 3, 0),
                    icmp("host-unreachable", 3, 1),
                    icmp("protocol-unreachable", 3, 2),
                    icmp("port-unreachable", 3, 3),
                    icmp("fragmentation-needed", 3, 4),
                    icmp("source-route-failed", 3, 5),
                    icmp("network-unknown", 3, 6),
                    icmp("host-unknown", 3, 7),
                    icmp("network-prohibited", 3, 9),
                    icmp("host-prohibited", 3, 10),
                    icmp("TOS-network-unreachable", 3, 11),
                    icmp("TOS-host-unreachable", 3, 12),
                    icmp("communication-prohibited", 3, 13),
                    icmp("host-precedence-violation", 3, 14),
                    icmp("precedence-cutoff", 3, 15),
                    icmp("source-quench", 4),
                    icmp("redirect", 5),
                    icmp("network-redirect", 5, 0),
                    icmp("host-redirect", 5, 1),
                    icmp("TOS-network-redirect", 5, 2),
                    icmp("TOS-host-redirect", 5, 3),
                    icmp("echo-request", 8),
                    icmp("ping", 8),
                    icmp("router-advertisement", 9),
                    icmp("router-solicitation", 10),
                    icmp("time-exceeded", 11),
                    icmp("ttl-exceeded", 11),
                    icmp("ttl-zero-during-transit", 11, 0),
                    icmp("ttl-zero-during-reassembly", 11, 1),
                    icmp("parameter-problem", 12),
                    icmp("ip-header-bad", 12, 0),
                    icmp("required-option-missing", 12, 1),
                    icmp("timestamp-request", 13),
                    icmp("timestamp-reply", 14),
                    icmp("address-mask-request", 17),
                    icmp("address-mask-reply", 18));

    private static final Map<String, Icmp> ICMP6 =
            Map.ofEntries(
                    icmp("destination-unreachable", 1),
                    icmp("no-route", 1, 0),
                    icmp("communication-prohibited", 1, 1),
                    icmp("beyond-scope", 1, 2),
                    icmp("address-unreachable", 1, 3),
                    icmp("port-unreachable", 1, 4),
                    icmp("failed-policy", 1, 5),
                    icmp("reject-route", 1, 6),
                    icmp("packet-too-big", 2),
                    icmp("time-exceeded", 3),
                    icmp("ttl-exceeded", 3),
                    icmp("ttl-zero-during-transit", 3, 0),
                    icmp("ttl-zero-during-reassembly", 3, 1),
                    icmp("parameter-problem", 4),
                    icmp("bad-header", 4, 0),
                    icmp("unknown-header-type", 4, 1),
                    icmp("unknown-option", 4, 2),
                    icmp("echo-request", 128),
                    icmp("ping", 128),
                    icmp("echo-reply", 129),
                    icmp("pong", 129),
                    icmp("router-solicitation", 133),
                    icmp("router-advertisement", 134),
                    icmp("neighbour-solicitation", 135),
                    icmp("neighbor-solicitation", 135),
                    icmp("neighbour-advertisement", 136),
                    icmp("neighbor-advertisement", 136),
                    icmp("redirect", 137));

    /** Packets with a whole transport header: every match on ports fails all others. */
    static final Condition PRESENT = is(Field.PORTS_PRESENT, 1);

    /** All ports. */
    static final ValueSet ALL = ValueSet.of(0, MOST_PORT);

    private Ports() {}

    private static Map.Entry<String, Icmp> icmp(String name, int type) {
        return Map.entry(name, new Icmp(type, 0, (int) MOST_TYPE));
    }

    private static Map.Entry<String, Icmp> icmp(String name, int type, int code) {
        return Map.entry(name, new Icmp(type, code, code));
    }

    /** A field with a value of a set, or any other value. */
    static Condition in(Field field, ValueSet values, boolean negated) {
        return new Condition.In(field, negated ? values.complement(field.bits()) : values);
    }

    /** A port, or a range whose ends a character parts; no end is the least or most. */
    static ValueSet range(Word word, char parting) throws RuleSyntaxException {
        String text = word.text();
        int at = text.indexOf(parting);
        if (at < 0) {
            return ValueSet.of(port(word));
        }
        String low = text.substring(0, at);
        String high = text.substring(at + 1);
        return ValueSet.of(
                low.isEmpty() ? 0 : port(new Word(low, word.column())),
                high.isEmpty() ? MOST_PORT : port(new Word(high, word.column() + at + 1)));
    }

    /** Ports and ranges, parted by commas. */
    static ValueSet list(Word words) throws RuleSyntaxException {
        ValueSet all = new ValueSet(List.of());
        int column = words.column();
        int slots = 0;
        for (String part : words.text().split(",", -1)) {
            Word one = new Word(part, column);
            if (part.startsWith(":") || part.endsWith(":")) {
                throw one.refused(
                        "is a range with one end, which multiport does not take; write both");
            }
            ValueSet range = range(one, ':');
            boolean isRange = part.indexOf(':') >= 0;
            if (range.ranges().isEmpty() || isRange && isOne(range.ranges().get(0))) {
                throw one.refused("is no range of several ports; write the lower port first");
            }
            all = all.or(range);
            slots += isRange ? 2 : 1;
            column += part.length() + 1;
        }
        if (slots > 15) {
            throw words.refused(
                    "names more than the 15 ports of a multiport match, where a range counts twice; write two rules");
        }
        return all;
    }

    private static boolean isOne(ValueSet.Range range) {
        return range.low().equals(range.high());
    }

    private static long port(Word word) throws RuleSyntaxException {
        Integer service = NetworkNames.SERVICES.get(word.text().toLowerCase(Locale.ROOT));
        return service != null ? service : word.number(MOST_PORT);
    }

    /** Flags that are looked at, and those of them that are set. */
    static Condition flags(Word mask, Word set) throws RuleSyntaxException {
        int bits = flags(mask);
        int value = flags(set);
        if ((value & ~bits) != 0) {
            return Condition
                    .NEVER; // the kernel compares the flags under the mask with all of these
        }
        return new Condition.Bits(Field.TCP_FLAGS, value, bits);
    }

    private static int flags(Word words) throws RuleSyntaxException {
        int bits = 0;
        for (String flag : words.text().split(",", -1)) {
            int bit = FLAGS.indexOf(flag.toUpperCase(Locale.ROOT));
            if (flag.equalsIgnoreCase("ALL")) {
                bits |= 0x3f;
            } else if (bit >= 0) {
                bits |= 1 << bit;
            } else if (!flag.equalsIgnoreCase("NONE")) {
                throw words.refused(
                        "names no TCP flag; write some of FIN, SYN, RST, PSH, ACK, URG, ALL, NONE");
            }
        }
        return bits;
    }

    /** A type of ICMP, by number or name, with or without a code; null: any. */
    static @Nullable Condition icmpType(Word word, boolean v6) throws RuleSyntaxException {
        Icmp known = named(word, v6 ? ICMP6 : ICMP);
        if (known == null && !v6 && word.is("any")) {
            return null;
        }
        if (known == null) {
            int slash = word.text().indexOf('/');
            Word type = slash < 0 ? word : word.upTo(slash);
            int number = (int) type.number(MOST_TYPE);
            if (!v6 && number == MOST_TYPE) {
                return null;
            }
            known = slash < 0 ? new Icmp(number, 0, (int) MOST_TYPE) : codes(number, word, slash);
        }
        return Condition.all(
                is(Field.SRC_PORT, known.type),
                new Condition.In(Field.DST_PORT, ValueSet.of(known.lowCode, known.highCode)));
    }

    /** A type of ICMP and one code, as sets have them: that of a name is 0. */
    static Condition exactIcmpType(Word word, boolean v6) throws RuleSyntaxException {
        int slash = word.text().indexOf('/');
        Icmp known = named(word, v6 ? ICMP6 : ICMP);
        long type = known == null ? word.upTo(Math.max(0, slash)).number(MOST_TYPE) : known.type;
        long code = known == null ? word.from(slash + 1).number(MOST_TYPE) : known.lowCode;
        return Condition.all(is(Field.SRC_PORT, type), is(Field.DST_PORT, code));
    }

    private static Icmp codes(int type, Word word, int slash) throws RuleSyntaxException {
        Word codes = word.from(slash + 1);
        int colon = codes.text().indexOf(':');
        Word low = colon < 0 ? codes : codes.upTo(colon);
        Word high = colon < 0 ? codes : codes.from(colon + 1);
        return new Icmp(type, (int) low.number(MOST_TYPE), (int) high.number(MOST_TYPE));
    }

    /** The type of a name or of the begin of one; null: of none. */
    private static @Nullable Icmp named(Word word, Map<String, Icmp> names)
            throws RuleSyntaxException {
        String begin = word.text().toLowerCase(Locale.ROOT);
        List<String> found =
                names.keySet().stream()
                        .filter(name -> !begin.isEmpty())
                        .filter(name -> name.toLowerCase(Locale.ROOT).startsWith(begin))
                        .sorted()
                        .toList();
        if (found.size() > 1) {
            throw word.refused(
                    "is the begin of several types; write one of " + String.join(", ", found));
        }
        return found.isEmpty() ? null : names.get(found.get(0));
    }
}
