package dev.sluice.policy.cisco;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.ValueSet;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * ObjectTable, groups, time ranges and names of a configuration, as entries of lists ask for them.
 */
final class ObjectTable {
    /** Kinds of groups whose members may have sequence numbers. */
    private static final Set<String> NUMBERED = Set.of("network", "port");

    final CiscoDialect dialect;
    final ListAddresses addresses;

    private final RuleReading in;
    private final Map<String, ObjectGroup> groups = new LinkedHashMap<>();
    private final Map<String, TimeRange> times = new HashMap<>();
    private final Map<String, String> named = new HashMap<>();
    private final Set<String> missing = new LinkedHashSet<>();
    private final Set<String> open = new LinkedHashSet<>();
    private @Nullable HostZone clock;

    ObjectTable(CiscoDialect dialect, RuleReading in) {
        this.dialect = dialect;
        this.in = in;
        addresses = new ListAddresses(dialect == CiscoDialect.ASA);
        clock = new HostZone(ZoneOffset.UTC);
    }

    /** The group of a name, made where there is none. */
    ObjectGroup group(String kind, String name, int line, String protocols) {
        return groups.computeIfAbsent(name, none -> new ObjectGroup(kind, name, line, protocols));
    }

    @Nullable ObjectGroup find(String name) {
        return groups.get(name);
    }

    /** The time range of a name, made where there is none. */
    TimeRange time(String name) {
        return times.computeIfAbsent(name, TimeRange::new);
    }

    /** Gives an address a name, as {@code name 192.0.2.1 web} does. */
    void name(String address, String name) {
        named.put(name, address);
    }

    /** Sets the zone of the device's clock; null: unknown. */
    void clock(@Nullable HostZone zone) {
        clock = zone;
    }

    /** The condition that a time range holds. */
    Condition time(LineWords words) throws RuleSyntaxException {
        String name = words.name();
        TimeRange range = times.get(name);
        if (range == null) {
            return missing("time-range", name, words);
        }
        return range.condition(in.zone() != null ? in.zone() : clock);
    }

    private Condition missing(String kind, String name, LineWords words) {
        if (missing.add(kind + " " + name)) {
            in.warn(
                    words.line,
                    "%s %s is not in the file: packets that it may decide about depend; add its definition"
                            .formatted(kind, name));
        }
        return new Condition.Unknown(kind + " " + name + ", which the file does not define");
    }

    /** Reader of a member. */
    private interface Member {
        void read(LineWords words) throws RuleSyntaxException;
    }

    /** Hands each member of a group to a reader, at most once in a row of nested groups. */
    private void each(ObjectGroup group, LineWords at, Member reader) throws RuleSyntaxException {
        if (!open.add(group.name())) {
            throw at.refused("is a group that contains itself; take it out of itself");
        }
        try {
            for (LineWords member : group.members()) {
                LineWords words = member.again();
                boolean numbered = NUMBERED.contains(group.kind()) && words.isNumber();
                words.skip(numbered && words.left() > 1 ? 1 : 0);
                if (words.atEnd()
                        || words.take("description")
                        || words.take("description:")
                        || words.take("remark")
                        || words.take("nat")) {
                    continue;
                }
                reader.read(words);
                if (!words.atEnd()) {
                    words.next("");
                    throw words.refused("is not understood in a group; remove it");
                }
            }
        } catch (RuleSyntaxException e) {
            throw at.refused(
                    "%s %s has a member that is not read: %s"
                            .formatted(group.kind(), group.name(), e.getMessage()));
        } finally {
            open.remove(group.name());
        }
    }

    /** Takes the words that name another group; null: others come next. */
    private static @Nullable String nested(LineWords words) throws RuleSyntaxException {
        if (words.take("group-object") || words.take("object-group") || words.take("object")) {
            return words.name();
        }
        return null;
    }

    /** The addresses of an object or group; the next word is its name. */
    Condition addresses(LineWords words, boolean source) throws RuleSyntaxException {
        String name = words.name();
        ObjectGroup group = groups.get(name);
        if (group == null) {
            return missing("object group", name, words);
        }
        if (!group.kind().equals("network")) {
            return new Condition.Unknown(group.kind() + " " + name);
        }
        List<Condition> some = new ArrayList<>();
        each(
                group,
                words,
                member -> {
                    member.take("network-object");
                    String other = member.peek().equals("object-group") ? null : nested(member);
                    if (other != null) {
                        member.back();
                        some.add(addresses(member, source));
                    } else {
                        some.add(address(member, source, true));
                    }
                });
        if (some.isEmpty()) {
            return new Condition.Unknown("object group " + name + ", which is empty");
        }
        return some.size() == 1 ? some.get(0) : new Condition.Any(some);
    }

    /**
     * An address as lists and groups write it.
     *
     * @param member whether it is the member of a group
     */
    Condition address(LineWords words, boolean source, boolean member) throws RuleSyntaxException {
        if (words.take("any", 2)) {
            return Condition.ALWAYS;
        }
        if (words.peek().equals("any4") || words.peek().equals("any6")) {
            return ListAddresses.version(words.next("any4").endsWith("6"));
        }
        if (words.take("host", 2)) {
            String host = named(words.next("an address"));
            return addresses.host(host, words.column(), source);
        }
        if (words.take("subnet")) {
            return address(words, source, member);
        }
        if (words.take("range")) {
            String low = named(words.next("an address"));
            String high = named(words.next("an address"));
            return addresses.range(low, high, words, source);
        }
        if (words.take("object-group")
                || words.take("object")
                || words.take("addrgroup")
                || words.take("net-group")) {
            return addresses(words, source);
        }
        if (words.take("fqdn")) {
            return fqdn(words);
        }
        if (words.take("interface")) {
            return new Condition.Unknown("the address of interface " + words.name());
        }
        return literal(words, source, member);
    }

    private static Condition fqdn(LineWords words) throws RuleSyntaxException {
        if (words.left() > 1 && (words.peek().equals("v4") || words.peek().equals("v6"))) {
            words.skip(1);
        }
        return new Condition.Unknown("the addresses of " + words.name());
    }

    private Condition literal(LineWords words, boolean source, boolean member)
            throws RuleSyntaxException {
        String text = named(words.next("an address"));
        int column = words.column();
        if (text.indexOf('/') > 0) {
            return addresses.prefix(text, column, source);
        }
        if (text.endsWith(",") && words.takeAll("wildcard", "bits")) {
            text = text.substring(0, text.length() - 1);
        }
        if (ListAddresses.isV6(text)) {
            return addresses.host(text, column, source);
        }
        int address = Literals.ipv4(text, column);
        if (words.peek().isEmpty() || Literals.plainIpv4(words.peek()) < 0) {
            if (!member && dialect == CiscoDialect.ASA) {
                words.next("a mask");
                throw words.refused("stands where a mask should; write one behind " + text);
            }
            return addresses.host(text, column, source);
        }
        int bits = Literals.ipv4(words.next("a mask"), words.column());
        boolean mask = dialect == CiscoDialect.ASA || member && dialect != CiscoDialect.NXOS;
        if (!mask && bits != -1 && Integer.bitCount(bits) > 8 && (~bits & ~bits + 1) == 0) {
            in.warn(
                    words.line,
                    "%s is a wildcard here, of which the bits that are 0 count; a mask would be %s"
                            .formatted(dotted(bits), dotted(~bits)));
        }
        return addresses.masked(address, mask ? bits : ~bits, source);
    }

    private String named(String word) {
        return named.getOrDefault(word, word);
    }

    private static String dotted(int bits) {
        return "%d.%d.%d.%d"
                .formatted(bits >>> 24, bits >>> 16 & 0xff, bits >>> 8 & 0xff, bits & 0xff);
    }

    /** The ports of a group; the next word is its name. */
    Condition ports(LineWords words, int protocol, boolean source) throws RuleSyntaxException {
        String name = words.name();
        ObjectGroup group = groups.get(name);
        if (group == null) {
            return missing("port group", name, words);
        }
        List<Condition> some = new ArrayList<>();
        each(
                group,
                words,
                member -> {
                    member.take("port-object");
                    String other = nested(member);
                    if (other != null) {
                        member.back();
                        some.add(ports(member, protocol, source));
                        return;
                    }
                    ValueSet ports = PortWords.ports(member, protocol, dialect);
                    if (ports == null) {
                        member.next("a port");
                        throw member.refused("is no port; write eq, range or another comparison");
                    }
                    some.add(ListService.port(source, ports));
                });
        if (some.isEmpty()) {
            return new Condition.Unknown("port group " + name + ", which is empty");
        }
        return some.size() == 1 ? some.get(0) : new Condition.Any(some);
    }

    /** The types of ICMP of a group; the next word is its name. */
    Condition icmp(LineWords words, boolean v6) throws RuleSyntaxException {
        ObjectGroup group = groups.get(words.name());
        List<Condition> some = new ArrayList<>();
        if (group != null) {
            each(
                    group,
                    words,
                    member -> {
                        member.take("icmp-object");
                        String other = nested(member);
                        if (other != null) {
                            member.back();
                            some.add(icmp(member, v6));
                            return;
                        }
                        some.add(icmpType(member, v6));
                    });
        }
        return some.isEmpty() ? missing("icmp group", "", words) : new Condition.Any(some);
    }

    private static Condition icmpType(LineWords words, boolean v6) throws RuleSyntaxException {
        Condition type = CiscoNames.icmp(words, v6);
        if (type == null) {
            words.next("a type of ICMP");
            throw words.refused("is no type of ICMP that is known here; write its number");
        }
        return type;
    }

    /** The services of an object or group of services or protocols; the next word is its name. */
    List<ListService> services(LineWords words, boolean v6) throws RuleSyntaxException {
        String name = words.name();
        ObjectGroup group = groups.get(name);
        if (group == null) {
            return List.of(new ListService(missing("object group", name, words), null));
        }
        List<ListService> some = new ArrayList<>();
        each(
                group,
                words,
                member -> {
                    if (!member.take("service-object") && !member.take("service")) {
                        member.take("protocol-object");
                    }
                    String other = nested(member);
                    if (other != null && groups.get(other) == null && dialect == CiscoDialect.ASA) {
                        some.add(builtIn(other, member, v6));
                    } else if (other != null) {
                        member.back();
                        some.addAll(services(member, v6));
                    } else {
                        some.addAll(service(member, v6));
                    }
                });
        return some.isEmpty()
                ? List.of(new ListService(new Condition.Unknown("object group " + name), null))
                : some;
    }

    /** A service that an ASA knows by name, as {@code icmp-echo} or {@code tcp-www}. */
    ListService builtIn(String name, LineWords at, boolean v6) throws RuleSyntaxException {
        LineWords words = new LineWords(at.line, name.replaceFirst("^(icmp6?|tcp|udp)-", "$1 "));
        if (!CiscoNames.isProtocol(words)) {
            return new ListService(missing("object", name, at), null);
        }
        boolean icmp6 = words.peek().equals("icmp6");
        int protocol = CiscoNames.protocol(words, v6);
        ListService service = ListService.of(protocol);
        if (words.atEnd()) {
            return service;
        }
        return protocol == CiscoNames.ICMP || icmp6
                ? service.and(icmpType(words, icmp6))
                : service.and(
                        ListService.port(
                                false, ValueSet.of(CiscoNames.port(words, protocol, dialect))));
    }

    private List<ListService> service(LineWords words, boolean v6) throws RuleSyntaxException {
        if (words.take("ip") || words.take("ipv6")) {
            return List.of(ListService.ANY);
        }
        boolean both = words.take("tcp-udp");
        int first = both ? CiscoNames.TCP : CiscoNames.protocol(words, v6);
        List<ListService> services = new ArrayList<>();
        services.add(ListService.of(first));
        if (both) {
            services.add(ListService.of(CiscoNames.UDP));
        }
        if (first == CiscoNames.ICMP || first == CiscoNames.ICMP6) {
            return words.atEnd()
                    ? services
                    : List.of(services.get(0).and(icmpType(words, first == CiscoNames.ICMP6)));
        }
        boolean source = words.take("source");
        while (!words.atEnd()) {
            source &= !words.take("destination");
            ValueSet ports = PortWords.ports(words, first, dialect);
            if (ports == null) {
                words.next("ports");
                throw words.refused("is no comparison of ports; write eq, range, lt, gt or neq");
            }
            Condition met = ListService.port(source, ports);
            services.replaceAll(one -> one.and(met));
            source = false;
        }
        return services;
    }
}
