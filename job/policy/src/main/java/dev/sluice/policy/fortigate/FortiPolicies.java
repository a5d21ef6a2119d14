package dev.sluice.policy.fortigate;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.NearestWord;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.appliance.Zones;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Policies of a FortiGate, of each virtual domain its own. */
final class FortiPolicies {
    private static final Set<String> READ =
            Set.of(
                    "srcintf",
                    "dstintf",
                    "intf",
                    "srcaddr",
                    "dstaddr",
                    "srcaddr4",
                    "dstaddr4",
                    "srcaddr6",
                    "dstaddr6",
                    "action",
                    "service",
                    "schedule",
                    "status",
                    "srcaddr-negate",
                    "dstaddr-negate",
                    "srcaddr6-negate",
                    "dstaddr6-negate",
                    "service-negate",
                    "name",
                    "comments",
                    "comment",
                    "internet-service",
                    "internet-service-src",
                    "internet-service6",
                    "internet-service6-src",
                    "users",
                    "groups");

    /** Settings that ask for what no header tells. */
    private static final Pattern UNKNOWN =
            Pattern.compile(
                    "users|groups|fsso-groups|devices|src-vendor-mac|ztna-(?:ems-|geo-)?.*tag.*|ztna-status"
                            + "|security-posture-tag.*|vlan-filter|application|app-category|app-group"
                            + "|url-category|tos|sgt|reputation-minimum6?|network-service-.*"
                            + "|internet-service6?-(?:src-)?(?:id|name|group|custom|custom-group)|virtual-patch");

    /** Settings of what becomes of packets that pass, of answers, logs and names. */
    private static final Pattern OTHER =
            Pattern.compile(
                    "uuid|label|global-label|nat\\w*|inbound|outbound|ippool|poolname6?|pcp-.*|fixedport"
                            + "|permit-.*|port-preserve|port-random|log.*|utm-.*|.*-profile|profile-.*|.*-sensor"
                            + "|application-list|.*shaper.*|traffic-.*|wanopt.*|webcache.*|webproxy-.*|ssl-.*"
                            + "|tcp-.*|session-ttl|timeout-send-rst|delay-tcp-npu-session|auto-asic-offload"
                            + "|np-acceleration|capture-packet|inspection-mode|diffserv.*|vlan-cos-.*|vpntunnel"
                            + "|policy-expiry.*|email-collect|captive-portal-exempt|disclaimer|redirect-url"
                            + "|replacemsg-override-group|auth-.*|ntlm.*|block-notification|custom-log-fields"
                            + "|dynamic-shaping|fec|firewall-session-dirty|send-deny-packet|anti-replay"
                            + "|passive-wan-health-measurement|decrypted-traffic-mirror|scan-botnet-connections"
                            + "|dsri|radius-mac-auth-bypass|rtp-.*|wccp|.*-policy-redirect|cgn-.*|app-monitor"
                            + "|eif-.*|tags?|color|geoip-.*|match-vip(?:-only)?|schedule-timeout|identity-.*"
                            + "|fsso(?:-.*)?|rsso|tos-mask|tos-negate|learning-mode|sgt-check|ha-mgmt-intf-only"
                            + "|internet-service6?-(?:src-)?negate");

    /** Tables that deny packets before the policies. */
    private static final List<String> BEFORE =
            List.of("firewall acl", "firewall acl6", "firewall security-policy");

    private final RuleReading in;
    private final boolean skips;

    FortiPolicies(RuleReading in, boolean skips) {
        this.in = in;
        this.skips = skips;
    }

    Map<String, Policy> of(ConfigNode root) {
        Map<String, ConfigNode> scopes = new LinkedHashMap<>();
        if (root.children().stream().anyMatch(table -> table.name().startsWith("firewall "))) {
            scopes.put("", root);
        }
        for (ConfigNode vdom : root.at("vdom").children()) {
            if (!vdom.children().isEmpty()) {
                scopes.put(vdom.name(), vdom);
            }
        }
        Map<String, Policy> policies = new LinkedHashMap<>();
        scopes.forEach((name, scope) -> add(policies, name, new Scope(scope)));
        return policies;
    }

    /** Tables of a virtual domain. */
    private final class Scope {
        final ConfigNode tables;
        final Zones zones = new Zones();
        final FortiServices services;
        final FortiSchedules schedules;
        final FortiAddresses v4;
        final FortiAddresses v6;

        Scope(ConfigNode tables) {
            this.tables = tables;
            services = new FortiServices(in, tables);
            schedules = new FortiSchedules(in, tables);
            v4 = new FortiAddresses(in, tables, false);
            v6 = new FortiAddresses(in, tables, true);
            for (ConfigNode zone : tables.at("system zone").children()) {
                zones.add(zone.name(), names(zone.values("interface")));
            }
            for (String table : List.of("system sdwan", "system virtual-wan-link")) {
                for (ConfigNode member : tables.at(table, "members").children()) {
                    zones.add(
                            member.value("zone", "virtual-wan-link"),
                            names(member.values("interface")));
                }
            }
        }
    }

    private static List<String> names(List<ConfigNode> values) {
        return values.stream().map(ConfigNode::name).toList();
    }

    private void add(Map<String, Policy> policies, String vdom, Scope scope) {
        for (String table : BEFORE) {
            for (ConfigNode entry : scope.tables.at(table).children()) {
                RuleSyntaxException defect =
                        entry.refused(
                                "is an entry of %s, which denies before the policies, and is not read; remove it"
                                        .formatted(table));
                if (skips) {
                    in.warn(entry.line(), "skipped: " + defect.getMessage());
                } else {
                    in.defect(entry.line(), defect);
                }
            }
        }
        String name = vdom.isEmpty() ? "policy" : vdom;
        FirewallRules rules = new FirewallRules(in, name);
        rules.addEstablished();
        for (ConfigNode zone : scope.tables.at("system zone").children()) {
            if (zone.value("intrazone", "deny").equals("allow")) {
                rules.add(
                        rules.rule(
                                zone.at("intrazone").line(),
                                "zone",
                                "",
                                "zone " + zone.name() + ": set intrazone allow",
                                scope.zones.within(zone.name()),
                                true,
                                "allow"));
            }
        }
        for (String table :
                List.of("firewall policy", "firewall policy6", "firewall consolidated policy")) {
            addAll(rules, scope, table);
        }
        Policy policy = FirewallRules.policy(name, List.of(rules.stage("implicit deny", false)));
        policies.put(vdom.isEmpty() ? "policy" : vdom, policy);
        addLocal(policies, vdom, scope);
    }

    private void addLocal(Map<String, Policy> policies, String vdom, Scope scope) {
        List<String> tables = List.of("firewall local-in-policy", "firewall local-in-policy6");
        if (tables.stream().allMatch(table -> scope.tables.at(table).children().isEmpty())) {
            return;
        }
        String name = vdom.isEmpty() ? "local-in" : vdom + "/local-in";
        FirewallRules rules = new FirewallRules(in, name);
        rules.addEstablished();
        tables.forEach(table -> addAll(rules, scope, table));
        Condition allowed = new Condition.Unknown("allowaccess of the interface");
        rules.add(rules.rule(0, name, "", "allowaccess of the interface", allowed, true, "accept"));
        policies.put(
                name,
                FirewallRules.policy(name, List.of(rules.stage("no service listens", false))));
    }

    private void addAll(FirewallRules rules, Scope scope, String table) {
        for (ConfigNode policy : scope.tables.at(table).children()) {
            if (policy.value("status", "enable").equals("disable")) {
                continue;
            }
            String text = text(policy);
            try {
                String action = action(policy);
                rules.add(
                        rules.rule(
                                policy.line(),
                                table.substring("firewall ".length()),
                                policy.value("name", ""),
                                text,
                                condition(policy, scope, table),
                                !action.equals("deny"),
                                action));
            } catch (RuleSyntaxException e) {
                for (PolicyRule each : rules.refused(skips, policy.line(), text, e)) {
                    rules.add(each);
                }
            }
        }
    }

    private static String action(ConfigNode policy) throws RuleSyntaxException {
        String action = policy.value("action", "deny");
        if (!action.matches("accept|deny|ipsec|ssl-vpn|learn")) {
            throw policy.at("action").only().refused("is no action; write accept or deny");
        }
        return action;
    }

    /** The policy in words of one line. */
    private static String text(ConfigNode policy) {
        List<String> words = new ArrayList<>(List.of("edit " + policy.name()));
        for (ConfigNode setting : policy.children()) {
            if (READ.contains(setting.name())
                    && !setting.name().matches("name|comments?|schedule|status")) {
                words.add(
                        setting.name()
                                + " "
                                + setting.children().stream()
                                        .map(ConfigNode::name)
                                        .collect(Collectors.joining(" ")));
            }
        }
        return String.join(", ", words);
    }

    private Condition condition(ConfigNode policy, Scope scope, String table)
            throws RuleSyntaxException {
        List<Condition> parts = new ArrayList<>();
        boolean local = table.contains("local-in");
        parts.add(interfaces(policy.values(local ? "intf" : "srcintf"), scope, true));
        parts.add(interfaces(policy.values("dstintf"), scope, false));
        parts.add(addresses(policy, scope, table.endsWith("6")));
        if (!local && !isOn(policy, "match-vip")) {
            addUntranslated(parts, policy, scope);
        }
        if (!isOn(policy, "internet-service")) {
            Condition service = scope.services.of(policy.values("service"));
            if (policy.child("service") == null) {
                throw policy.refused("has no service; write set service");
            }
            parts.add(isOn(policy, "service-negate") ? Condition.not(service) : service);
        }
        List<ConfigNode> schedules = policy.values("schedule");
        if (!schedules.isEmpty()) {
            parts.add(scope.schedules.of(schedules.get(0)));
        }
        for (ConfigNode setting : policy.children()) {
            String name = setting.name();
            if (UNKNOWN.matcher(name).matches()) {
                String value =
                        setting.children().stream()
                                .map(ConfigNode::name)
                                .collect(Collectors.joining(" "));
                if (!value.matches("disable|0|0x00|")) {
                    parts.add(new Condition.Unknown(name + " " + value));
                }
            } else if (!READ.contains(name) && !OTHER.matcher(name).matches()) {
                throw setting.refused(
                        "is no setting of a policy that Sluice knows; "
                                + NearestWord.of(name, READ.stream())
                                        .map(near -> "write " + near)
                                        .orElse("leave it out"));
            }
        }
        return FirewallRules.allOf(parts);
    }

    private static void addUntranslated(List<Condition> to, ConfigNode policy, Scope scope)
            throws RuleSyntaxException {
        for (FortiAddresses version : List.of(scope.v4, scope.v6)) {
            boolean asks =
                    Stream.of("dstaddr", "dstaddr4", "dstaddr6")
                            .flatMap(setting -> policy.values(setting).stream())
                            .anyMatch(name -> version.isVip(name.name()));
            Condition untranslated = asks ? Condition.ALWAYS : version.untranslated();
            if (!untranslated.equals(Condition.ALWAYS)) {
                to.add(untranslated);
            }
        }
    }

    private static boolean isOn(ConfigNode policy, String setting) {
        return policy.value(setting, "disable").equals("enable");
    }

    private static Condition interfaces(List<ConfigNode> names, Scope scope, boolean incoming) {
        if (names.isEmpty() || names.stream().anyMatch(name -> name.name().equals("any"))) {
            return Condition.ALWAYS;
        }
        return FirewallRules.anyOf(
                names.stream().map(name -> scope.zones.condition(name.name(), incoming)).toList());
    }

    /** The addresses of both IP versions; a version without a side has no packets. */
    private Condition addresses(ConfigNode policy, Scope scope, boolean v6)
            throws RuleSyntaxException {
        List<Condition> versions = new ArrayList<>();
        String plain = policy.child("srcaddr4") != null ? "addr4" : "addr";
        Condition four =
                both(
                        policy,
                        v6 ? scope.v6 : scope.v4,
                        plain,
                        v6 ? "internet-service6" : "internet-service");
        if (four != null) {
            versions.add(four);
        }
        Condition six = v6 ? null : both(policy, scope.v6, "addr6", "internet-service6");
        if (six != null) {
            versions.add(six);
        }
        if (versions.isEmpty()) {
            throw policy.refused("has no srcaddr and dstaddr; write both");
        }
        return FirewallRules.anyOf(versions);
    }

    /** The packets of a version that meet both ends; null: an end is missing. */
    private static @Nullable Condition both(
            ConfigNode policy, FortiAddresses addresses, String end, String service)
            throws RuleSyntaxException {
        List<Condition> parts = new ArrayList<>();
        for (boolean source : new boolean[] {true, false}) {
            String setting = (source ? "src" : "dst") + end;
            String negated = setting.replace("addr4", "addr") + "-negate";
            if (isOn(policy, service + (source ? "-src" : ""))) {
                parts.add(addresses.version());
                parts.add(new Condition.Unknown(service + (source ? " at the source" : "")));
            } else if (policy.child(setting) == null) {
                return null;
            } else {
                parts.add(addresses.of(policy.values(setting), source, isOn(policy, negated)));
            }
        }
        return all(parts.toArray(Condition[]::new));
    }
}
