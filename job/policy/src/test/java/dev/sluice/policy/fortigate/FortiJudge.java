package dev.sluice.policy.fortigate;

import dev.sluice.policy.appliance.FirewallAnswer;
import dev.sluice.policy.appliance.FirewallPacket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Slow judge of simple configurations of FortiGate. */
final class FortiJudge {
    /** Mistakes of a judge that the comparison must tell. */
    enum Mistake {
        NONE,
        LAST_MATCH_DECIDES,
        DISABLED_POLICIES_COUNT,
        NEGATION_IS_IGNORED,
        ICMPV6_SERVICE_IS_ALL,
        SOURCE_PORT_IS_THE_FIRST,
        EXCLUDED_MEMBERS_COUNT,
        ACCEPTS_AT_THE_END,
        WITHIN_A_ZONE_IS_DENIED,
        IPV6_BY_ADDRESSES_OF_IPV4,
        ICMP_TYPE_IS_IGNORED,
        MISSING_ACTION_ACCEPTS
    }

    /** Line of each entry by table and name, and its settings. */
    private record Entry(int line, Map<String, List<String>> settings) {
        String get(String setting) {
            return String.join(" ", settings.getOrDefault(setting, List.of()));
        }

        List<String> list(String setting) {
            return settings.getOrDefault(setting, List.of());
        }
    }

    private final FirewallPacket packet;
    private final Mistake mistake;
    private final Map<String, Map<String, Entry>> tables = new LinkedHashMap<>();

    private FortiJudge(String text, FirewallPacket packet, Mistake mistake) {
        this.packet = packet;
        this.mistake = mistake;
        String[] lines = text.split("\n");
        Map<String, Entry> table = Map.of();
        Entry entry = new Entry(0, Map.of());
        for (int i = 0; i < lines.length; i++) {
            String[] words = lines[i].strip().replace("\"", "").split(" +");
            String rest = lines[i].strip().replaceFirst("\\S+ *", "").replace("\"", "");
            switch (words[0]) {
                case "config" -> {
                    table = new LinkedHashMap<>();
                    tables.put(rest, table);
                }
                case "edit" -> {
                    entry = new Entry(i + 1, new LinkedHashMap<>());
                    table.put(rest, entry);
                }
                case "set" -> entry.settings.put(words[1], List.of(words).subList(2, words.length));
                default -> {} // next and end
            }
        }
    }

    static FirewallAnswer judge(String text, FirewallPacket packet, Mistake mistake) {
        return new FortiJudge(text, packet, mistake).judge();
    }

    private FirewallAnswer judge() {
        Entry zone = tables.get("system zone").get("dmz");
        List<String> members = zone.list("interface");
        if (zone.get("intrazone").equals("allow")
                && members.contains(packet.in())
                && members.contains(packet.out())
                && mistake != Mistake.WITHIN_A_ZONE_IS_DENIED) {
            return new FirewallAnswer(true, 4);
        }
        FirewallAnswer last = new FirewallAnswer(mistake == Mistake.ACCEPTS_AT_THE_END, 0);
        for (Entry policy : tables.get("firewall policy").values()) {
            if (matches(policy, members)) {
                boolean accepts =
                        policy.get("action").equals("accept")
                                || policy.get("action").isEmpty()
                                        && mistake == Mistake.MISSING_ACTION_ACCEPTS;
                last = new FirewallAnswer(accepts, policy.line);
                if (mistake != Mistake.LAST_MATCH_DECIDES) {
                    return last;
                }
            }
        }
        return last;
    }

    private boolean matches(Entry policy, List<String> zone) {
        if (policy.get("status").equals("disable") && mistake != Mistake.DISABLED_POLICIES_COUNT) {
            return false;
        }
        if (!by(policy.list("srcintf"), packet.in(), zone)
                || !by(policy.list("dstintf"), packet.out(), zone)) {
            return false;
        }
        String six = packet.v6() && mistake != Mistake.IPV6_BY_ADDRESSES_OF_IPV4 ? "6" : "";
        if (policy.list("srcaddr" + six).isEmpty()) {
            return false;
        }
        boolean service = false;
        for (String name : policy.list("service")) {
            service |= service(name);
        }
        return end(policy, "srcaddr" + six, true)
                && end(policy, "dstaddr" + six, false)
                && service != negated(policy, "service");
    }

    private boolean negated(Entry policy, String setting) {
        return policy.get(setting + "-negate").equals("enable")
                && mistake != Mistake.NEGATION_IS_IGNORED;
    }

    private static boolean by(List<String> names, String name, List<String> zone) {
        return names.contains("any")
                || names.contains(name)
                || names.contains("dmz") && zone.contains(name);
    }

    private boolean end(Entry policy, String setting, boolean source) {
        boolean any = false;
        for (String name : policy.list(setting)) {
            any |= address(name, source);
        }
        return any != negated(policy, setting);
    }

    private boolean address(String name, boolean source) {
        int asked = packet.end(source);
        switch (name) {
            case "all":
                return true;
            case "none":
                return false;
            case "six":
                return asked >> 2 == 1;
            case "net":
                return asked >> 2 == 0;
            case "range":
                return asked >= 3 && asked <= 6;
            case "odd":
                return asked % 2 == 1;
            default: // rest
                return address("range", source)
                        && (!address("odd", source) || mistake == Mistake.EXCLUDED_MEMBERS_COUNT);
        }
    }

    private boolean service(String name) {
        int to = packet.toPort();
        return switch (name) {
            case "ALL" -> true;
            case "HTTP" -> packet.protocol() == 6 && to == 80;
            case "DNS" -> (packet.protocol() == 6 || packet.protocol() == 17) && to == 53;
            case "PING" ->
                    packet.protocol() == 1
                            && (packet.fromPort() == 8 || mistake == Mistake.ICMP_TYPE_IS_IGNORED);
            case "ALL_ICMP6" -> packet.protocol() == 58 || mistake == Mistake.ICMPV6_SERVICE_IS_ALL;
            case "echo6" -> packet.protocol() == 58 && packet.fromPort() == 128;
            case "high" -> {
                boolean swapped = mistake == Mistake.SOURCE_PORT_IS_THE_FIRST;
                int from = swapped ? to : packet.fromPort();
                int other = swapped ? packet.fromPort() : to;
                yield packet.protocol() == 6 && other <= 443 && from >= 1024;
            }
            default -> throw new IllegalStateException(name);
        };
    }
}
