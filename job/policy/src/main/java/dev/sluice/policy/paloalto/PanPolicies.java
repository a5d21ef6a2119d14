package dev.sluice.policy.paloalto;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.appliance.Zones;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Policies of virtual systems and device groups: rules before, of, and behind their own. */
final class PanPolicies {
    private static final List<String> ZONE_KINDS =
            List.of("layer3", "layer2", "virtual-wire", "tap", "tunnel", "external");

    private final RuleReading in;
    private final boolean skips;
    private final Set<String> missing = new HashSet<>();
    private final Map<ConfigNode, List<PolicyRule>> refused = new LinkedHashMap<>();

    PanPolicies(RuleReading in, boolean skips) {
        this.in = in;
        this.skips = skips;
    }

    /** Part of a configuration with its own rules. */
    private record Scope(String name, ConfigNode own, List<ConfigNode> above) {
        /** The nearest one first. */
        List<ConfigNode> all() {
            List<ConfigNode> all = new ArrayList<>(List.of(own));
            all.addAll(above);
            return all;
        }
    }

    Map<String, Policy> of(ConfigNode root) {
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (Scope scope : scopes(config(root))) {
            Policy policy = policy(scope);
            if (policy != null) {
                policies.put(scope.name, policy);
            }
        }
        ConfigNode shared = config(root).at("shared");
        if (policies.isEmpty()
                && (shared.child("pre-rulebase") != null
                        || shared.child("post-rulebase") != null)) {
            Scope scope = new Scope("shared", shared, List.of());
            policies.put(scope.name, Objects.requireNonNull(policy(scope)));
        }
        return policies;
    }

    /** The configuration within an answer of the device's interface, or the whole. */
    private static ConfigNode config(ConfigNode root) {
        ConfigNode node = root;
        for (String wrapper : List.of("response", "result", "config")) {
            ConfigNode inner = node.child(wrapper);
            node = inner == null ? node : inner;
        }
        return node;
    }

    private List<Scope> scopes(ConfigNode config) {
        List<ConfigNode> devices = new ArrayList<>(List.of(config));
        devices.addAll(config.at("devices").children());
        List<ConfigNode> shared = new ArrayList<>();
        for (ConfigNode each :
                List.of(
                        config.at("policy", "panorama"),
                        config.at("panorama"),
                        config.at("shared"))) {
            if (!each.children().isEmpty()) {
                shared.add(each);
            }
        }
        List<Scope> scopes = new ArrayList<>();
        for (ConfigNode device : devices) {
            scopes.add(new Scope("vsys1", device, shared));
            for (ConfigNode vsys : device.at("vsys").children()) {
                List<ConfigNode> above = new ArrayList<>(shared);
                if (device != config) {
                    above.add(device);
                }
                above.add(config);
                scopes.add(new Scope(vsys.name(), vsys, above));
            }
            ConfigNode groups = device.at("device-group");
            for (ConfigNode group : groups.children()) {
                List<ConfigNode> above = new ArrayList<>();
                ConfigNode each = parent(config, groups, group);
                while (each != null && !above.contains(each) && each != group) {
                    above.add(each);
                    each = parent(config, groups, each);
                }
                above.addAll(shared);
                scopes.add(new Scope(group.name(), group, above));
            }
        }
        return scopes;
    }

    /** The device group above one; null: none. */
    private static @Nullable ConfigNode parent(
            ConfigNode config, ConfigNode groups, ConfigNode group) {
        String parent = group.value("parent-dg", "");
        for (ConfigNode device : config.at("readonly", "devices").children()) {
            parent = device.at("device-group", group.name()).value("parent-dg", parent);
        }
        return groups.child(parent);
    }

    /** The rules of a scope in their order; null: it has none of its own or above it. */
    private @Nullable Policy policy(Scope scope) {
        List<ConfigNode> rules = new ArrayList<>();
        List<ConfigNode> above = scope.all();
        for (int i = above.size() - 1; i >= 0; i--) {
            rules.addAll(rules(above.get(i), "pre-rulebase"));
        }
        int before = rules.size();
        rules.addAll(rules(scope.own, "rulebase"));
        int own = rules.size() - before;
        for (ConfigNode each : above) {
            rules.addAll(rules(each, "post-rulebase"));
        }
        boolean zoned = !scope.own.at("zone").children().isEmpty();
        boolean isGroup =
                scope.own.child("pre-rulebase") != null || scope.own.child("post-rulebase") != null;
        boolean has = zoned || own > 0 || isGroup || scope.own.child("rulebase") != null;
        if (!has) {
            return null;
        }
        if (isGroup) {
            in.warn(
                    scope.own.line(),
                    "%s is judged without the rules that its firewalls have of their own"
                            .formatted(scope.name));
        }
        return policy(scope, rules);
    }

    private static List<ConfigNode> rules(ConfigNode scope, String rulebase) {
        return List.copyOf(scope.at(rulebase, "security", "rules").children());
    }

    private Policy policy(Scope scope, List<ConfigNode> rules) {
        FirewallRules list = new FirewallRules(in, scope.name);
        list.addEstablished();
        Zones zones = zones(scope, rules);
        PanObjects objects = new PanObjects(in, scope.all(), missing);
        for (ConfigNode rule : rules) {
            PanRule of = new PanRule(rule, objects, zones);
            if (of.isDisabled()) {
                continue;
            }
            List<PolicyRule> known = refused.get(rule);
            if (known != null) {
                known.forEach(list::add);
                continue;
            }
            try {
                String action = of.action();
                list.add(
                        list.rule(
                                rule.line(),
                                scope.name,
                                rule.name(),
                                of.text(),
                                of.condition(),
                                action.equals("allow"),
                                action));
            } catch (RuleSyntaxException e) {
                List<PolicyRule> unclear = list.refused(skips, rule.line(), of.text(), e);
                refused.put(rule, unclear);
                unclear.forEach(list::add);
            }
        }
        ConfigNode within = byDefault(scope, "intrazone-default");
        addDefault(list, within, "intrazone-default", zones.withinAny(), "allow");
        ConfigNode between = byDefault(scope, "interzone-default");
        if (between != null) {
            addDefault(list, between, "interzone-default", Condition.ALWAYS, "deny");
        }
        return FirewallRules.policy(scope.name, List.of(list.stage("interzone-default", false)));
    }

    private static void addDefault(
            FirewallRules list,
            @Nullable ConfigNode rule,
            String name,
            Condition condition,
            String otherwise) {
        String action = rule == null ? otherwise : rule.value("action", otherwise);
        list.add(
                list.rule(
                        rule == null ? 0 : rule.line(),
                        name,
                        "",
                        name + ", action " + action,
                        condition,
                        !PanRule.DENYING.contains(action),
                        action));
    }

    /** The rule that overrides one of the firewall's own; null: none. */
    private static @Nullable ConfigNode byDefault(Scope scope, String name) {
        for (ConfigNode each : scope.all()) {
            for (String rulebase : List.of("rulebase", "post-rulebase")) {
                ConfigNode rule = each.at(rulebase, "default-security-rules", "rules").child(name);
                if (rule != null && rule.child("action") != null) {
                    return rule;
                }
            }
        }
        return null;
    }

    private static Zones zones(Scope scope, List<ConfigNode> rules) {
        Zones zones = new Zones();
        for (ConfigNode zone : scope.own.at("zone").children()) {
            Set<String> names = new LinkedHashSet<>();
            for (String kind : ZONE_KINDS) {
                if (!kind.equals("external")) {
                    zone.at("network").values(kind).forEach(each -> names.add(each.name()));
                }
            }
            zones.add(zone.name(), List.copyOf(names));
        }
        for (ConfigNode rule : rules) {
            for (String end : List.of("from", "to")) {
                for (ConfigNode zone : rule.values(end)) {
                    if (!zone.name().matches("any|multicast")) {
                        zones.mention(zone.name());
                    }
                }
            }
        }
        return zones;
    }
}
