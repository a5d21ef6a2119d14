package dev.sluice.policy.paloalto;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.appliance.Zones;
import dev.sluice.policy.model.Condition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Security rule: its settings as a condition. */
final class PanRule {
    /** Settings that name people, devices and contents, which no header tells. */
    private static final List<String> UNKNOWN =
            List.of(
                    "source-user",
                    "source-imsi",
                    "source-imei",
                    "source-nw-slice",
                    "category",
                    "hip-profiles",
                    "source-hip",
                    "destination-hip",
                    "saas-user-list",
                    "saas-tenant-list");

    private static final Set<String> READ =
            Set.of(
                    "from",
                    "to",
                    "source",
                    "destination",
                    "service",
                    "application",
                    "action",
                    "negate-source",
                    "negate-destination",
                    "disabled",
                    "rule-type",
                    "schedule",
                    "target");

    /** Settings that say nothing of a packet's fate, or of a later one. */
    private static final Set<String> OTHER =
            Set.of(
                    "description",
                    "tag",
                    "group-tag",
                    "log-setting",
                    "log-start",
                    "log-end",
                    "profile-setting",
                    "option",
                    "icmp-unreachable",
                    "qos",
                    "disable-inspect",
                    "disable-server-response-inspection",
                    "uuid",
                    "loc",
                    "devices");

    static final Set<String> DENYING =
            Set.of("deny", "drop", "reset-client", "reset-server", "reset-both");

    private final ConfigNode rule;
    private final PanObjects objects;
    private final Zones zones;

    PanRule(ConfigNode rule, PanObjects objects, Zones zones) {
        this.rule = rule;
        this.objects = objects;
        this.zones = zones;
    }

    boolean isDisabled() {
        return rule.value("disabled", "no").equals("yes");
    }

    String action() throws RuleSyntaxException {
        String action = rule.value("action", "");
        if (!action.equals("allow") && !DENYING.contains(action)) {
            throw action.isEmpty()
                    ? rule.refused("has no action; write allow or deny")
                    : rule.at("action").only().refused("is no action; write allow or deny");
        }
        return action;
    }

    /** The rule in words of one line. */
    String text() {
        List<String> words = new ArrayList<>(List.of(rule.name()));
        for (String each :
                List.of(
                        "from",
                        "source",
                        "to",
                        "destination",
                        "application",
                        "service",
                        "action")) {
            String values =
                    rule.values(each).stream()
                            .map(ConfigNode::name)
                            .collect(Collectors.joining(" "));
            if (!values.isEmpty()) {
                String not = rule.value("negate-" + each, "no").equals("yes") ? "not " : "";
                words.add(each + " " + not + values);
            }
        }
        return String.join(", ", words);
    }

    /** The condition on packets. */
    Condition condition() throws RuleSyntaxException {
        for (ConfigNode setting : rule.children()) {
            String name = setting.name();
            if (!READ.contains(name) && !OTHER.contains(name) && !UNKNOWN.contains(name)) {
                Set<String> known = new HashSet<>(READ);
                known.addAll(UNKNOWN);
                throw setting.refused(
                        "is no setting of a rule that Sluice knows; "
                                + NearestWord.of(name, known.stream())
                                        .map(near -> "write " + near)
                                        .orElse("leave it out"));
            }
        }
        List<Condition> parts = new ArrayList<>();
        parts.add(zones());
        parts.add(addresses("source", true));
        parts.add(addresses("destination", false));
        parts.add(services());
        parts.add(objects.applications(rule.values("application")));
        for (String name : UNKNOWN) {
            List<String> values = rule.values(name).stream().map(ConfigNode::name).toList();
            if (!values.isEmpty() && !values.contains("any")) {
                parts.add(new Condition.Unknown(name + " " + String.join(" ", values)));
            }
        }
        if (rule.child("schedule") != null) {
            parts.add(new Condition.Unknown("schedule " + rule.value("schedule", "")));
        }
        if (!rule.at("target", "devices").children().isEmpty()) {
            parts.add(new Condition.Unknown("whether the device is a target of " + rule.name()));
        }
        return FirewallRules.allOf(parts);
    }

    private Condition addresses(String end, boolean source) throws RuleSyntaxException {
        List<ConfigNode> names = rule.values(end);
        boolean negated = rule.value("negate-" + end, "no").equals("yes");
        return names.isEmpty() ? Condition.ALWAYS : objects.addresses(names, source, negated);
    }

    /** The services; those of a known application are its default ones, whatever it is. */
    private Condition services() throws RuleSyntaxException {
        List<ConfigNode> names = rule.values("service");
        return names.isEmpty() ? Condition.ALWAYS : objects.services(names);
    }

    private Condition zones() throws RuleSyntaxException {
        String type = rule.value("rule-type", "universal");
        List<ConfigNode> from = rule.values("from");
        if (type.equals("intrazone")) {
            if (isAny(from)) {
                return zones.withinAny();
            }
            return FirewallRules.anyOf(
                    from.stream().map(zone -> zones.within(zone.name())).toList());
        }
        Condition both = all(zones(from, true), zones(rule.values("to"), false));
        if (type.equals("interzone")) {
            List<String> names = from.stream().map(ConfigNode::name).toList();
            return all(both, zones.between(isAny(from) ? List.of() : names));
        }
        if (!type.equals("universal")) {
            throw rule.at("rule-type")
                    .only()
                    .refused("is no type of a rule; write universal, intrazone or interzone");
        }
        return FirewallRules.allOf(Condition.parts(both));
    }

    private Condition zones(List<ConfigNode> names, boolean incoming) {
        return isAny(names)
                ? Condition.ALWAYS
                : FirewallRules.anyOf(
                        names.stream()
                                .map(
                                        zone ->
                                                zone.name().equals("multicast")
                                                        ? new Condition.Unknown("zone multicast")
                                                        : zones.condition(zone.name(), incoming))
                                .toList());
    }

    static boolean isAny(List<ConfigNode> names) {
        return names.isEmpty() || names.stream().anyMatch(name -> name.name().equals("any"));
    }
}
