package dev.sluice.policy.paloalto;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.AddressRanges;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Addresses, services and applications that rules name, in the scopes that define them. */
final class PanObjects {
    private static final Map<String, Integer> PROTOCOLS = Map.of("tcp", 6, "udp", 17, "sctp", 132);

    /** Ports of the services that each firewall has. */
    private static final Map<String, ValueSet> PREDEFINED =
            Map.of(
                    "service-http", ValueSet.of(80).or(ValueSet.of(8080)),
                    "service-https", ValueSet.of(443));

    /** Protocols of applications that have one of their own. */
    private static final Map<String, Integer> OF_PROTOCOL =
            Map.of(
                    "icmp",
                    1,
                    "ping",
                    1,
                    "ping6",
                    58,
                    "ipv6-icmp",
                    58,
                    "gre",
                    47,
                    "igmp",
                    2,
                    "ospf",
                    89,
                    "eigrp",
                    88,
                    "pim",
                    103,
                    "vrrp",
                    112);

    private final RuleReading in;

    /** The nearest scope first. */
    private final List<ConfigNode> scopes;

    private final Set<String> missing;

    /**
     * Objects of scopes.
     *
     * @param missing names that were warned of
     */
    PanObjects(RuleReading in, List<ConfigNode> scopes, Set<String> missing) {
        this.in = in;
        this.scopes = scopes;
        this.missing = missing;
    }

    private @Nullable ConfigNode find(String kind, String name) {
        for (ConfigNode scope : scopes) {
            ConfigNode found = scope.at(kind).child(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Condition missing(ConfigNode name, String kind) {
        if (missing.add(kind + " " + name.name())) {
            in.warn(
                    name.line(),
                    "%s %s is not defined in this file: rules that ask for it depend"
                            .formatted(kind, name.name()));
        }
        return new Condition.Unknown(kind + " " + name.name());
    }

    /**
     * The condition that a packet comes from one of some addresses, or goes to one.
     *
     * @param negated whether it holds of all other packets
     */
    Condition addresses(List<ConfigNode> names, boolean source, boolean negated)
            throws RuleSyntaxException {
        List<Condition> any = new ArrayList<>();
        AddressRanges[] known = {AddressRanges.NONE};
        for (ConfigNode name : names) {
            address(name, source, known, any, new HashSet<>());
        }
        return FirewallRules.addresses(known[0], any, source, negated);
    }

    /** Adds an address to those that are known, or a condition to the others. */
    private void address(
            ConfigNode name,
            boolean source,
            AddressRanges[] known,
            List<Condition> others,
            Set<String> within)
            throws RuleSyntaxException {
        if (name.name().equals("any")) {
            others.add(Condition.ALWAYS);
            return;
        }
        ConfigNode address = find("address", name.name());
        ConfigNode group = address == null ? find("address-group", name.name()) : null;
        String side = source ? " at the source" : " at the destination";
        if (group != null) {
            if (!within.add(name.name())) {
                throw name.refused("is an address group within itself; remove it there");
            }
            if (group.child("dynamic") != null) {
                others.add(new Condition.Unknown("dynamic address group " + name.name() + side));
            }
            ConfigNode members = group.child("static");
            for (ConfigNode each : (members == null ? group : members).children()) {
                if (members != null || isMember(each)) {
                    address(each, source, known, others, within);
                }
            }
            within.remove(name.name());
        } else if (address != null) {
            object(address, name, source, known, others);
        } else if (find("external-list", name.name()) != null
                || find("region", name.name()) != null) {
            others.add(new Condition.Unknown("the addresses of " + name.name() + side));
        } else if (AddressRanges.isAddress(name.name())) {
            known[0] = known[0].or(name.addresses());
        } else if (name.name().matches("[A-Z]{2}")) {
            others.add(new Condition.Unknown("region " + name.name() + side));
        } else {
            Condition.Unknown of = (Condition.Unknown) missing(name, "address");
            others.add(new Condition.Unknown(of.words() + side));
        }
    }

    /** Returns whether a setting of a group of old versions is one of its members. */
    private static boolean isMember(ConfigNode setting) {
        return setting.children().isEmpty();
    }

    private static void object(
            ConfigNode address,
            ConfigNode name,
            boolean source,
            AddressRanges[] known,
            List<Condition> others)
            throws RuleSyntaxException {
        ConfigNode netmask = address.child("ip-netmask");
        ConfigNode range = address.child("ip-range");
        ConfigNode wildcard = address.child("ip-wildcard");
        if (netmask != null) {
            known[0] = known[0].or(netmask.only().addresses());
        } else if (range != null) {
            known[0] = known[0].or(range.only().addresses());
        } else if (wildcard != null) {
            others.add(wildcard(wildcard.only(), source));
        } else {
            others.add(
                    new Condition.Unknown(
                            "address "
                                    + name.name()
                                    + (address.child("fqdn") == null ? "" : " (fqdn)")
                                    + (source ? " at the source" : " at the destination")));
        }
    }

    /** An address and a mask of bits that do not count. */
    private static Condition wildcard(ConfigNode value, boolean source) throws RuleSyntaxException {
        String[] parts = value.name().split("/", -1);
        if (parts.length != 2) {
            throw value.refused("is no wildcard; write it as in 10.0.0.0/0.0.255.0");
        }
        int address = Literals.ipv4(parts[0], value.column());
        int free = Literals.ipv4(parts[1], value.column());
        return all(
                is(Field.IP_VERSION, Field.VERSION_4),
                new Condition.Bits(
                        source ? Field.IPV4_SRC : Field.IPV4_DST, address & ~free, ~free));
    }

    /** The condition that a packet has one of some services. */
    Condition services(List<ConfigNode> names) throws RuleSyntaxException {
        List<Condition> any = new ArrayList<>();
        for (ConfigNode name : names) {
            service(name, any, new HashSet<>());
        }
        return FirewallRules.anyOf(any);
    }

    private void service(ConfigNode name, List<Condition> any, Set<String> within)
            throws RuleSyntaxException {
        if (name.name().equals("any")) {
            any.add(Condition.ALWAYS);
            return;
        }
        if (name.name().equals("application-default")) {
            any.add(new Condition.Unknown("the default ports of the application"));
            return;
        }
        ConfigNode service = find("service", name.name());
        ConfigNode group = service == null ? find("service-group", name.name()) : null;
        ValueSet predefined = PREDEFINED.get(name.name());
        if (group != null) {
            if (!within.add(name.name())) {
                throw name.refused("is a service group within itself; remove it there");
            }
            ConfigNode members = group.child("members");
            for (ConfigNode each : (members == null ? group : members).children()) {
                if (members != null || isMember(each)) {
                    service(each, any, within);
                }
            }
            within.remove(name.name());
        } else if (service != null) {
            object(service, any);
        } else if (predefined != null) {
            any.add(FirewallRules.ports(6, FirewallRules.PORTS, predefined));
        } else {
            any.add(missing(name, "service"));
        }
    }

    private static void object(ConfigNode service, List<Condition> any) throws RuleSyntaxException {
        ConfigNode protocols = service.child("protocol");
        if (protocols == null) {
            any.add(new Condition.Unknown("service " + service.name()));
            return;
        }
        for (ConfigNode protocol : protocols.children()) {
            Integer number = PROTOCOLS.get(protocol.name());
            if (number == null) {
                throw protocol.refused("is no protocol of a service; write tcp, udp or sctp");
            }
            any.add(
                    FirewallRules.ports(
                            number,
                            ports(protocol.child("source-port")),
                            ports(protocol.child("port"))));
        }
    }

    private static ValueSet ports(@Nullable ConfigNode of) throws RuleSyntaxException {
        if (of == null) {
            return FirewallRules.PORTS;
        }
        ValueSet all = new ValueSet(List.of());
        for (ConfigNode value : of.children()) {
            for (String part : value.name().split(",")) {
                String[] ends = part.strip().split("-", 2);
                long low = value.number(ends[0], 0xffff);
                long high = ends.length == 1 ? low : value.number(ends[1], 0xffff);
                if (low > high) {
                    throw value.refused("has an empty range; write the lower port first");
                }
                all = all.or(ValueSet.of(BigInteger.valueOf(low), BigInteger.valueOf(high)));
            }
        }
        return all;
    }

    /** The condition that a packet is of one of some applications, which no header tells. */
    Condition applications(List<ConfigNode> names) {
        List<Condition> any = new ArrayList<>();
        for (ConfigNode name : names) {
            Integer protocol = OF_PROTOCOL.get(name.name());
            Condition of = new Condition.Unknown("application " + name.name());
            any.add(
                    name.name().equals("any")
                            ? Condition.ALWAYS
                            : protocol == null || find("application", name.name()) != null
                                    ? of
                                    : all(is(Field.IP_PROTO, protocol), of));
        }
        return any.isEmpty() ? Condition.ALWAYS : FirewallRules.anyOf(any);
    }
}
