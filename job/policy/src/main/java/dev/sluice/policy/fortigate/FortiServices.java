package dev.sluice.policy.fortigate;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Services that policies name: those of the file, and those that FortiOS has from the start. */
final class FortiServices {
    private static final Map<String, Integer> TRANSPORTS = Map.of("tcp", 6, "udp", 17, "sctp", 132);

    /** Groups that FortiOS has from the start. */
    private static final Map<String, List<String>> GROUPS =
            Map.of(
                    "Email Access",
                    List.of("DNS", "IMAP", "IMAPS", "POP3", "POP3S", "SMTP", "SMTPS"),
                    "Web Access",
                    List.of("DNS", "HTTP", "HTTPS"),
                    "Windows AD",
                    List.of("DCE-RPC", "DNS", "KERBEROS", "LDAP", "LDAP_UDP", "SAMBA", "SMB"),
                    "Exchange Server",
                    List.of("DCE-RPC", "DNS", "HTTPS"));

    private static final Map<String, String> PREDEFINED = predefined();

    private final RuleReading in;
    private final ConfigNode custom;
    private final ConfigNode groups;
    private final Set<String> missing = new HashSet<>();

    FortiServices(RuleReading in, ConfigNode scope) {
        this.in = in;
        custom = scope.at("firewall service custom");
        groups = scope.at("firewall service group");
    }

    private static Map<String, String> predefined() {
        Map<String, String> services = new HashMap<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        FortiServices.class.getResourceAsStream("services.txt")),
                                StandardCharsets.UTF_8))) {
            lines.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", 2))
                    .forEach(parts -> services.put(parts[0], parts[1]));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.copyOf(services);
    }

    /** The condition that a packet has one of some services. */
    Condition of(List<ConfigNode> names) throws RuleSyntaxException {
        List<Condition> any = new ArrayList<>();
        for (ConfigNode name : names) {
            add(name, any, new HashSet<>());
        }
        return FirewallRules.anyOf(any);
    }

    private void add(ConfigNode name, List<Condition> any, Set<String> within)
            throws RuleSyntaxException {
        ConfigNode service = custom.child(name.name());
        ConfigNode group = service == null ? groups.child(name.name()) : null;
        String predefined = PREDEFINED.get(name.name());
        List<String> ofGroup = GROUPS.get(name.name());
        if (service != null) {
            any.add(custom(service));
        } else if (group != null) {
            if (!within.add(name.name())) {
                throw name.refused("is a service group within itself; remove it there");
            }
            for (ConfigNode each : group.values("member")) {
                add(each, any, within);
            }
            within.remove(name.name());
        } else if (predefined != null) {
            any.add(predefined(predefined, name));
        } else if (ofGroup != null) {
            for (String each : ofGroup) {
                add(new ConfigNode(each, name.line(), name.column()), any, within);
            }
        } else {
            if (missing.add(name.name())) {
                in.warn(
                        name.line(),
                        "service %s is not defined in this file: rules that ask for it depend"
                                .formatted(name.name()));
            }
            any.add(new Condition.Unknown("service " + name.name()));
        }
    }

    private static Condition predefined(String text, ConfigNode at) throws RuleSyntaxException {
        List<Condition> any = new ArrayList<>();
        for (String part : text.split(" ")) {
            int colon = part.indexOf(':');
            String kind = part.substring(0, colon);
            String value = part.substring(colon + 1);
            if (TRANSPORTS.containsKey(kind)) {
                for (String range : value.split(",")) {
                    any.add(ports(kind, new ConfigNode(range, at.line(), at.column())));
                }
            } else if (kind.equals("ip")) {
                any.add(protocol(Integer.parseInt(value)));
            } else {
                any.add(icmp(kind.equals("icmp6"), value.isEmpty() ? null : value, null, at));
            }
        }
        return FirewallRules.anyOf(any);
    }

    private static Condition custom(ConfigNode service) throws RuleSyntaxException {
        if (service.value("proxy", "disable").equals("enable")
                || !service.value("app-service-type", "disable").equals("disable")) {
            return new Condition.Unknown("service " + service.name());
        }
        String protocol = service.value("protocol", "TCP/UDP/SCTP");
        Condition of =
                switch (protocol) {
                    case "IP" -> {
                        ConfigNode number = service.child("protocol-number");
                        yield protocol(
                                number == null
                                        ? 0
                                        : (int) number.only().number(number.only().name(), 0xff));
                    }
                    case "ICMP", "ICMP6" ->
                            icmp(
                                    protocol.equals("ICMP6"),
                                    optional(service, "icmptype"),
                                    optional(service, "icmpcode"),
                                    service);
                    default -> transport(service, protocol);
                };
        List<String> where = new ArrayList<>();
        for (String each : List.of("iprange", "fqdn")) {
            String value = service.value(each, "");
            if (!value.isEmpty() && !value.equals("0.0.0.0")) {
                where.add(each + " " + value);
            }
        }
        return where.isEmpty()
                ? of
                : all(of, new Condition.Unknown("service " + service.name() + " to " + where));
    }

    private static @Nullable String optional(ConfigNode service, String setting) {
        String value = service.value(setting, "");
        return value.isEmpty() ? null : value;
    }

    private static Condition transport(ConfigNode service, String protocol)
            throws RuleSyntaxException {
        if (!protocol.startsWith("TCP/UDP")) {
            throw service.at("protocol")
                    .only()
                    .refused("is no protocol of a service; write TCP/UDP/SCTP, ICMP, ICMP6 or IP");
        }
        List<Condition> any = new ArrayList<>();
        for (String kind : List.of("tcp", "udp", "sctp")) {
            for (ConfigNode range : service.values(kind + "-portrange")) {
                any.add(ports(kind, range));
            }
        }
        return any.isEmpty()
                ? new Condition.Unknown("service " + service.name() + ", which names no port")
                : FirewallRules.anyOf(any);
    }

    /** The packets of a protocol of IP; 0: of all. */
    private static Condition protocol(int number) {
        return number == 0 ? Condition.ALWAYS : is(Field.IP_PROTO, number);
    }

    /** The packets of ICMP or ICMPv6 with a type and code; null: any. */
    private static Condition icmp(
            boolean v6, @Nullable String type, @Nullable String code, ConfigNode at)
            throws RuleSyntaxException {
        List<Condition> parts = new ArrayList<>();
        parts.add(is(Field.IP_PROTO, v6 ? 58 : 1));
        if (type != null) {
            parts.add(is(Field.SRC_PORT, at.number(type, 0xff)));
        }
        if (type != null && code != null) {
            parts.add(is(Field.DST_PORT, at.number(code, 0xff)));
        }
        return FirewallRules.allOf(parts);
    }

    /** Ports of destinations, and behind a colon those of sources. */
    private static Condition ports(String kind, ConfigNode range) throws RuleSyntaxException {
        int colon = range.name().indexOf(':');
        String to = colon < 0 ? range.name() : range.name().substring(0, colon);
        ValueSet from =
                colon < 0 ? FirewallRules.PORTS : range(range.name().substring(colon + 1), range);
        Integer protocol = Objects.requireNonNull(TRANSPORTS.get(kind));
        return FirewallRules.ports(protocol, from, range(to, range));
    }

    private static ValueSet range(String text, ConfigNode at) throws RuleSyntaxException {
        String[] ends = text.split("-", 2);
        long low = at.number(ends[0], 0xffff);
        long high = ends.length == 1 ? low : at.number(ends[1], 0xffff);
        if (low > high) {
            throw at.refused("has an empty range; write the lower port first");
        }
        return ValueSet.of(low, high);
    }
}
