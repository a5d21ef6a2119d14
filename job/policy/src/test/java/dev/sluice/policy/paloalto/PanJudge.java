package dev.sluice.policy.paloalto;

import dev.sluice.policy.appliance.FirewallAnswer;
import dev.sluice.policy.appliance.FirewallPacket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Slow judge of simple configurations in set format. */
final class PanJudge {
    /** Mistakes of a judge that the comparison must tell. */
    enum Mistake {
        NONE,
        LAST_MATCH_DECIDES,
        DISABLED_RULES_COUNT,
        NEGATION_IS_IGNORED,
        SERVICE_HTTP_IS_PORT_80_ALONE,
        SOURCE_PORT_IS_IGNORED,
        NESTED_GROUPS_ARE_EMPTY,
        RULE_TYPE_IS_IGNORED,
        WITHIN_A_ZONE_IS_DENIED,
        BETWEEN_ZONES_IS_ALLOWED,
        POST_RULES_COME_FIRST
    }

    private static final Pattern LINE =
            Pattern.compile(
                    "set (?:(shared (?:pre|post)-)?)(rulebase) security rules (\\S+) (\\S+) (.*)");
    private static final Pattern OBJECT =
            Pattern.compile("set (address|address-group|service|zone) (\\S+) (.*)");

    /** Rule with its line. */
    private static final class Rule {
        int line;
        final Map<String, List<String>> settings = new LinkedHashMap<>();
    }

    private final FirewallPacket packet;
    private final Mistake mistake;
    private final Map<String, Map<String, Rule>> rulebases = new LinkedHashMap<>();
    private final Map<String, String> objects = new LinkedHashMap<>();

    private PanJudge(String text, FirewallPacket packet, Mistake mistake) {
        this.packet = packet;
        this.mistake = mistake;
        for (String each : List.of("shared pre-", "", "shared post-")) {
            rulebases.put(each, new LinkedHashMap<>());
        }
        String[] lines = text.split("\n");
        for (int i = 0; i < lines.length; i++) {
            Matcher line = LINE.matcher(lines[i]);
            Matcher object = OBJECT.matcher(lines[i]);
            if (line.matches()) {
                int number = i + 1;
                String base = line.group(1) == null ? "" : line.group(1);
                Rule rule = rulebases.get(base).computeIfAbsent(line.group(3), name -> new Rule());
                rule.line = rule.line == 0 ? number : rule.line;
                rule.settings.put(
                        line.group(4),
                        List.of(line.group(5).replaceAll("[\\[\\]]", "").strip().split(" +")));
            } else if (object.matches()) {
                objects.put(object.group(1) + " " + object.group(2), object.group(3));
            }
        }
    }

    static FirewallAnswer judge(String text, FirewallPacket packet, Mistake mistake) {
        return new PanJudge(text, packet, mistake).judge();
    }

    private FirewallAnswer judge() {
        List<String> order = new ArrayList<>(List.of("shared pre-", "", "shared post-"));
        if (mistake == Mistake.POST_RULES_COME_FIRST) {
            Collections.reverse(order);
        }
        FirewallAnswer last = null;
        for (String base : order) {
            for (Rule rule : rulebases.get(base).values()) {
                if (matches(rule)) {
                    last = new FirewallAnswer(is(rule, "action", "allow"), rule.line);
                    if (mistake != Mistake.LAST_MATCH_DECIDES) {
                        return last;
                    }
                }
            }
        }
        if (last != null) {
            return last;
        }
        boolean within = zone(packet.in()).equals(zone(packet.out()));
        return new FirewallAnswer(
                within
                        ? mistake != Mistake.WITHIN_A_ZONE_IS_DENIED
                        : mistake == Mistake.BETWEEN_ZONES_IS_ALLOWED,
                0);
    }

    private static boolean is(Rule rule, String setting, String value) {
        return rule.settings.getOrDefault(setting, List.of("")).contains(value);
    }

    private String zone(String name) {
        for (Map.Entry<String, String> each : objects.entrySet()) {
            if (each.getKey().startsWith("zone ")
                    && List.of(each.getValue().split("[ \\[\\]]+")).contains(name)) {
                return each.getKey().substring(5);
            }
        }
        throw new IllegalStateException(name);
    }

    private boolean matches(Rule rule) {
        if (is(rule, "disabled", "yes") && mistake != Mistake.DISABLED_RULES_COUNT) {
            return false;
        }
        String from = zone(packet.in());
        String to = zone(packet.out());
        boolean typed = mistake != Mistake.RULE_TYPE_IS_IGNORED;
        if (typed && is(rule, "rule-type", "intrazone")) {
            if (!from.equals(to) || !zoneIs(rule, "from", from)) {
                return false;
            }
        } else if (!zoneIs(rule, "from", from)
                || !zoneIs(rule, "to", to)
                || typed && is(rule, "rule-type", "interzone") && from.equals(to)) {
            return false;
        }
        return end(rule, "source", true) && end(rule, "destination", false) && service(rule);
    }

    private static boolean zoneIs(Rule rule, String end, String zone) {
        return is(rule, end, "any") || is(rule, end, zone);
    }

    private boolean end(Rule rule, String end, boolean source) {
        boolean any = false;
        for (String name : rule.settings.get(end)) {
            any |= address(name, source, 0);
        }
        boolean negated = is(rule, "negate-" + end, "yes");
        return any != (negated && mistake != Mistake.NEGATION_IS_IGNORED);
    }

    private boolean address(String name, boolean source, int depth) {
        if (name.equals("any")) {
            return true;
        }
        String group = objects.get("address-group " + name);
        if (group != null) {
            if (depth > 0 && mistake == Mistake.NESTED_GROUPS_ARE_EMPTY) {
                return false;
            }
            boolean any = false;
            for (String each : group.replaceAll("static|[\\[\\]]", "").strip().split(" +")) {
                any |= address(each, source, depth + 1);
            }
            return any;
        }
        String object = objects.get("address " + name);
        String value = object == null ? name : object.substring(object.indexOf(' ') + 1);
        int asked = packet.end(source);
        if (value.contains("2001:")) {
            return packet.v6() && asked >> 2 == 1;
        }
        String last = value.substring(value.lastIndexOf('.') + 1);
        if (packet.v6()) {
            return false;
        }
        if (value.contains("-")) {
            String first = value.substring(0, value.indexOf('-'));
            return asked >= Integer.parseInt(first.substring(first.lastIndexOf('.') + 1))
                    && asked <= Integer.parseInt(last);
        }
        int slash = last.indexOf('/');
        int free = slash < 0 ? 0 : 32 - Integer.parseInt(last.substring(slash + 1));
        int base = Integer.parseInt(slash < 0 ? last : last.substring(0, slash));
        return base >> free == asked >> free;
    }

    private boolean service(Rule rule) {
        boolean any = false;
        for (String name : rule.settings.get("service")) {
            any |= service(name);
        }
        return any;
    }

    private boolean service(String name) {
        switch (name) {
            case "any":
                return true;
            case "service-https":
                return packet.protocol() == 6 && packet.toPort() == 443;
            case "service-http":
                return packet.protocol() == 6
                        && (packet.toPort() == 80
                                || packet.toPort() == 8080
                                        && mistake != Mistake.SERVICE_HTTP_IS_PORT_80_ALONE);
            default:
                String[] words = objects.get("service " + name).split(" ");
                boolean source = words.length > 4 && mistake != Mistake.SOURCE_PORT_IS_IGNORED;
                return packet.protocol() == (words[1].equals("tcp") ? 6 : 17)
                        && in(words[3], packet.toPort())
                        && (!source || in(words[5], packet.fromPort()));
        }
    }

    private static boolean in(String ports, int port) {
        for (String part : ports.split(",")) {
            String[] ends = part.split("-");
            if (port >= Integer.parseInt(ends[0])
                    && port <= Integer.parseInt(ends[ends.length - 1])) {
                return true;
            }
        }
        return false;
    }
}
