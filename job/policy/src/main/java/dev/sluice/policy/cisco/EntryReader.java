package dev.sluice.policy.cisco;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reader of an entry of a list behind {@code permit} or {@code deny}. */
final class EntryReader {
    private static final int MOST_TTL = 0xff;
    private static final int MOST_LENGTH = 0xffff;

    private static final Pattern V4 = Pattern.compile("[0-9]+(\\.[0-9]+){3}(/[0-9]+)?");

    /** Packets that a device counted. */
    private static final Pattern COUNT =
            Pattern.compile("(?:\\(hitcnt=|\\[match[ =]|\\()([0-9,]{1,18})(?=[ )\\]])");

    private final ObjectTable objects;
    private final CiscoDialect dialect;
    private final LineWords words;
    private final boolean permit;
    private final boolean v6;
    private final boolean shown;
    private final List<Condition> all = new ArrayList<>();
    private List<ListService> services = List.of(ListService.ANY);
    private int protocol = -1;
    private int flags;

    /**
     * A reader.
     *
     * @param shown whether a command printed the line, which names service groups alone
     */
    EntryReader(ObjectTable objects, LineWords words, boolean permit, boolean v6, boolean shown) {
        this.objects = objects;
        this.dialect = objects.dialect;
        this.words = words;
        this.permit = permit;
        this.v6 = v6;
        this.shown = shown;
    }

    /** Reads an entry of addresses, protocols and ports to the end of its line. */
    Condition extended() throws RuleSyntaxException {
        protocol();
        address(true);
        ports(true);
        address(false);
        ports(false);
        options();
        return condition();
    }

    /** Reads an entry of a list of sources to the end of its line. */
    Condition standard() throws RuleSyntaxException {
        if (CiscoNames.isProtocol(words) || words.peek().equals("ip")) {
            return extended();
        }
        address(true);
        options();
        return condition();
    }

    private Condition condition() {
        if (flags != 0) {
            Condition set = ListService.flags(flags, flags);
            List<Condition> some = new ArrayList<>();
            for (int bit = 1; bit <= flags; bit <<= 1) {
                if ((flags & bit) != 0) {
                    some.add(ListService.flags(bit, bit));
                }
            }
            transport(
                    some.size() == 1
                            ? set
                            : Condition.any(
                                    set,
                                    Condition.all(
                                            new Condition.Any(some),
                                            new Condition.Unknown("some of several TCP flags"))));
        }
        List<Condition> each =
                services.stream().map(one -> one.of(permit, dialect)).distinct().toList();
        List<Condition> parts = new ArrayList<>();
        if (each.size() == 1) {
            parts.addAll(Condition.parts(each.get(0)));
        } else {
            parts.add(new Condition.Any(each));
        }
        for (Condition one : all) {
            parts.addAll(Condition.parts(one));
        }
        return parts.size() == 1 ? parts.get(0) : new Condition.All(parts);
    }

    private void transport(Condition more) {
        services = services.stream().map(one -> one.and(more)).toList();
    }

    private void protocol() throws RuleSyntaxException {
        if (words.take("vlan")) {
            all.add(new Condition.Unknown("vlan " + words.name() + " " + words.name()));
        }
        if (words.take("ip") || words.take("ipv4") || words.take("ipv6")) {
            return;
        }
        if (words.take("tcp-udp")) {
            protocol = CiscoNames.TCP;
            services = List.of(ListService.of(CiscoNames.TCP), ListService.of(CiscoNames.UDP));
        } else if (words.take("object-group")) {
            services = objects.services(words, v6);
        } else if (words.take("object")) {
            String name = words.name();
            if (objects.find(name) == null) {
                services = List.of(objects.builtIn(name, words, v6));
            } else {
                words.back();
                services = objects.services(words, v6);
            }
        } else if (CiscoNames.isProtocol(words)) {
            protocol = CiscoNames.protocol(words, v6);
            services = List.of(ListService.of(protocol));
            if (v6 && protocol == 51) { // a header before the upper layer's
                services =
                        List.of(new ListService(extension(Field.EXTENSION_AUTHENTICATION), null));
            }
        } else if (shown && isAddress(words.peek(1))) {
            services = objects.services(words, v6);
        } else {
            words.next("a protocol");
            throw words.refused("is no protocol that is known here; write its number", "protocol");
        }
    }

    private static boolean isAddress(String word) {
        return word.equals("any")
                || word.equals("host")
                || word.equals("object-group")
                || word.indexOf('.') > 0;
    }

    private void address(boolean source) throws RuleSyntaxException {
        if (dialect == CiscoDialect.ASA
                && (words.peek().startsWith("user") || words.peek().endsWith("security"))) {
            all.add(new Condition.Unknown(words.next("a user") + " " + words.name()));
        }
        if (dialect == CiscoDialect.ASA && words.take("security-group")) {
            words.name();
            all.add(new Condition.Unknown("security-group " + words.name()));
        }
        int from = words.taken();
        Condition address = objects.address(words, source, false);
        for (int i = from; i < words.taken() && dialect != CiscoDialect.ASA; i++) {
            boolean other =
                    v6 ? V4.matcher(words.word(i)).matches() : ListAddresses.isV6(words.word(i));
            if (other && !words.word(Math.max(from, i - 1)).contains("group")) {
                throw words.refused(
                        "is an address of the other IP version than its list; write it in a list of its own");
            }
        }
        if (!address.equals(Condition.ALWAYS)) {
            all.add(address);
        }
        if (words.peek().startsWith("(")
                && words.peek().endsWith(")")
                && dialect == CiscoDialect.ASA) {
            if (words.take("(unresolved)")) {
                all.add(Condition.NEVER); // the device has no address for it
            } else {
                words.skip(1); // the name of the address
            }
        }
    }

    private void ports(boolean source) throws RuleSyntaxException {
        if (words.peek().equals("range") && words.peek(1).matches(".*[.:].*")) {
            return; // a range of addresses
        }
        if (words.take("portgroup") || words.take("port-group")) {
            transport(objects.ports(words, protocol, source));
            return;
        }
        ObjectGroup group =
                words.peek().equals("object-group") ? objects.find(words.name(1)) : null;
        boolean lacks = group == null && !source && words.peek().equals("object-group");
        boolean ofPorts =
                group != null && (group.kind().equals("service") || group.kind().equals("port"));
        if (ofPorts || lacks) {
            words.skip(1);
            transport(objects.ports(words, protocol, source));
            return;
        }
        if (group != null && group.kind().equals("icmp-type")) {
            words.skip(1);
            transport(objects.icmp(words, protocol == CiscoNames.ICMP6));
            return;
        }
        ValueSet ports = PortWords.ports(words, protocol, dialect);
        if (ports != null) {
            transport(ListService.port(source, ports));
        }
    }

    private static Condition extension(int bit) {
        return new Condition.Bits(Field.IPV6_EXTENSIONS, bit, bit);
    }

    private void options() throws RuleSyntaxException {
        if (protocol == CiscoNames.ICMP || protocol == CiscoNames.ICMP6) {
            Condition type = CiscoNames.icmp(words, protocol == CiscoNames.ICMP6);
            if (type != null) {
                transport(type);
            }
        } else if (protocol == 2 && !words.atEnd() && !ends() && !words.peek().startsWith("log")) {
            transport(new Condition.Unknown("the type of IGMP " + words.next("a type")));
        }
        while (!words.atEnd() && !ends()) {
            option();
        }
    }

    /** Returns whether counters of the device come next. */
    private boolean ends() {
        String next = words.peek();
        return next.startsWith("(") || next.startsWith("[") || next.startsWith("0x");
    }

    private void option() throws RuleSyntaxException {
        String word = words.next("an option").toLowerCase(Locale.ROOT);
        int flag = CiscoNames.flag(word);
        if (flag != 0) {
            flags |= flag;
            return;
        }
        switch (word) {
            case "log", "log-input" -> log();
            case "established" ->
                    transport(
                            Condition.any(
                                    ListService.flags(0x10, 0x10), ListService.flags(0x04, 0x04)));
            case "match-all", "match-any" -> someFlags(word.equals("match-all"));
            case "fragments", "fragment" -> all.add(ListService.LATER);
            case "dscp" -> tos(2, CiscoNames.number("dscp", words, dialect, 63), 0xfc);
            case "precedence" -> tos(5, CiscoNames.number("precedence", words, dialect, 7), 0xe0);
            case "tos" -> tos(1, CiscoNames.number("tos", words, dialect, 15), 0x1e);
            case "ttl" -> all.add(new Condition.In(Field.TTL, PortWords.numbers(words, MOST_TTL)));
            case "packet-length" -> length();
            case "time-range" -> {
                all.add(objects.time(words));
                words.skip(words.peek().matches("\\((in)?active\\)") ? 1 : 0);
            }
            case "sequence" -> words.number(Integer.MAX_VALUE);
            case "count", "counter", "capture" -> {
                if (!words.atEnd() && !ends() && !word.equals("capture")) {
                    words.skip(1);
                } else if (words.take("session")) {
                    words.skip(1);
                }
            }
            case "nexthop1", "nexthop2", "nexthop3", "default", "police", "set" -> words.rest();
            case "icmp-off" -> {} // no answers to what it denies
            case "inactive" -> all.add(Condition.NEVER);
            case "auth" -> all.add(extension(Field.EXTENSION_AUTHENTICATION));
            case "routing" -> all.add(extension(Field.EXTENSION_ROUTING));
            case "hbh" -> all.add(extension(Field.EXTENSION_HOP_BY_HOP));
            case "dest-option" -> all.add(extension(Field.EXTENSION_DESTINATION_OPTIONS));
            case "tracked", "undetermined-transport", "mobility" ->
                    all.add(new Condition.Unknown(word));
            case "reflect" -> reflect();
            case "option",
                    "flow-label",
                    "vlan",
                    "vni",
                    "http-method",
                    "tcp-option-length",
                    "mobility-type",
                    "routing-type",
                    "dest-option-type",
                    "fragment-type" ->
                    all.add(new Condition.Unknown(word + " " + words.next("a value")));
            case "udf", "nve" -> all.add(new Condition.Unknown(word + " " + words.rest()));
            case "tcp-flags-mask" -> {
                int free = words.number(63);
                transport(ListService.flags(flags & ~free, 63 & ~free));
                flags = 0;
            }
            default ->
                    throw words.refused(
                            "is an option that Sluice does not read; remove the entry, or add --skip-unsupported: packets that it may decide about then depend",
                            "option " + word);
        }
    }

    private void log() {
        if (dialect == CiscoDialect.ASA) {
            while (!words.atEnd()
                    && !ends()
                    && !words.peek().equals("time-range")
                    && !words.peek().equals("inactive")) {
                words.skip(1); // level and interval
            }
        }
    }

    private void reflect() throws RuleSyntaxException {
        words.name();
        if (words.take("timeout")) {
            words.skip(1);
        }
    }

    private void length() throws RuleSyntaxException {
        ValueSet values = PortWords.numbers(words, MOST_LENGTH);
        all.add(
                v6
                        ? new Condition.Unknown("packet-length of IPv6")
                        : new Condition.In(Field.IP_LENGTH, values));
    }

    private void tos(int shift, int value, int mask) {
        all.add(new Condition.Bits(Field.TOS, value << shift, mask));
    }

    private void someFlags(boolean every) throws RuleSyntaxException {
        List<Condition> each = new ArrayList<>();
        while (words.peek().startsWith("+") || words.peek().startsWith("-")) {
            String word = words.next("a flag").toLowerCase(Locale.ROOT);
            int bit = CiscoNames.flag(word.substring(1));
            if (bit == 0) {
                throw words.refused("is no TCP flag; write some of ack, fin, psh, rst, syn, urg");
            }
            each.add(ListService.flags(word.charAt(0) == '+' ? bit : 0, bit));
        }
        if (each.isEmpty()) {
            throw words.refused("names no TCP flag; write some, as in +ack -fin");
        }
        transport(every ? new Condition.All(each) : new Condition.Any(each));
    }

    /** Packets that the device counted; null: it does not say. */
    static @Nullable Long matches(LineWords words) {
        String rest = words.rest();
        Matcher count = COUNT.matcher(rest);
        return count.find() ? Long.valueOf(count.group(1).replace(",", "")) : null;
    }
}
