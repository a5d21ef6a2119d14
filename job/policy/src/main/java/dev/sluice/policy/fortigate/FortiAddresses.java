package dev.sluice.policy.fortigate;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.AddressRanges;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Addresses of an IP version that policies name. */
final class FortiAddresses {
    private static final int MOST_DEPTH = 64;

    private final RuleReading in;
    private final ConfigNode scope;
    private final boolean v6;
    private final Set<String> missing = new HashSet<>();

    FortiAddresses(RuleReading in, ConfigNode scope, boolean v6) {
        this.in = in;
        this.scope = scope;
        this.v6 = v6;
    }

    private String table(String name) {
        return "firewall " + name + (v6 ? "6" : "");
    }

    /** The packets of the IP version. */
    Condition version() {
        return is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
    }

    /** The condition that a packet of the version comes from one of them, or goes to one. */
    Condition of(List<ConfigNode> names, boolean source, boolean negated)
            throws RuleSyntaxException {
        return FirewallRules.allOf(List.of(version(), any(names, source, negated, 0)));
    }

    private Condition any(List<ConfigNode> names, boolean source, boolean negated, int depth)
            throws RuleSyntaxException {
        List<Condition> others = new ArrayList<>();
        AddressRanges known = AddressRanges.NONE;
        for (ConfigNode name : names) {
            ConfigNode address = scope.at(table("address")).child(name.name());
            ConfigNode group = scope.at(table("addrgrp")).child(name.name());
            if (address != null) {
                AddressRanges ranges = ranges(address);
                if (ranges != null) {
                    known = known.or(ranges);
                } else {
                    others.add(other(address, source));
                }
            } else if (group != null) {
                if (depth > MOST_DEPTH) {
                    throw name.refused("is an address group within itself; remove it there");
                }
                others.add(group(group, source, depth));
            } else if (name.name().equals("all")) {
                others.add(Condition.ALWAYS);
            } else if (!name.name().equals("none")) {
                others.add(unknown(name, source));
            }
        }
        return FirewallRules.addresses(known, others, source, negated);
    }

    private Condition group(ConfigNode group, boolean source, int depth)
            throws RuleSyntaxException {
        Condition members = any(group.values("member"), source, false, depth + 1);
        if (!group.value("exclude", "disable").equals("enable")) {
            return members;
        }
        return all(members, any(group.values("exclude-member"), source, true, depth + 1));
    }

    /** The addresses that an object states; null: it states some in another way. */
    private @Nullable AddressRanges ranges(ConfigNode address) throws RuleSyntaxException {
        String type = address.value("type", v6 ? "ipprefix" : "ipmask");
        if (type.equals("iprange")) {
            ConfigNode low = address.child("start-ip");
            ConfigNode high = address.child("end-ip");
            if (high == null) {
                throw address.refused("has no end-ip; write it");
            }
            String first = low == null ? v6 ? "::" : "0.0.0.0" : low.only().name();
            return AddressRanges.between(first, high.only().name(), high.column());
        }
        if (type.equals("ipprefix") && v6) {
            ConfigNode prefix = address.child("ip6");
            return prefix == null ? AddressRanges.V6 : prefix.only().addresses();
        }
        boolean subnet = type.equals("ipmask") || type.equals("interface-subnet");
        List<ConfigNode> values = address.values("subnet");
        if (v6 || !subnet || type.equals("interface-subnet") && values.isEmpty()) {
            return null;
        }
        if (values.isEmpty()) {
            return AddressRanges.V4;
        }
        ConfigNode value = values.get(0);
        if (value.name().indexOf('/') >= 0) {
            return value.addresses();
        }
        ConfigNode mask = values.get(values.size() - 1); // one value alone is written twice
        int bits = Literals.ipv4(mask.name(), mask.column());
        int length = Integer.numberOfLeadingZeros(~bits);
        if (bits != Literals.mask32(length)) {
            throw mask.refused("is no mask of a prefix; write type wildcard");
        }
        return AddressRanges.block(value.name(), "" + length, value.column());
    }

    /** The condition of an object whose addresses are no ranges. */
    private static Condition other(ConfigNode address, boolean source) throws RuleSyntaxException {
        if (address.value("type", "").equals("wildcard")) {
            List<ConfigNode> values = address.values("wildcard");
            if (values.isEmpty()) {
                return Condition.ALWAYS;
            }
            ConfigNode mask = values.get(values.size() - 1);
            int bits = Literals.ipv4(mask.name(), mask.column());
            int value = Literals.ipv4(values.get(0).name(), values.get(0).column());
            return new Condition.Bits(source ? Field.IPV4_SRC : Field.IPV4_DST, value & bits, bits);
        }
        return new Condition.Unknown(
                "address %s (%s)%s"
                        .formatted(address.name(), address.value("type", ""), side(source)));
    }

    private static String side(boolean source) {
        return source ? " at the source" : " at the destination";
    }

    /** Returns whether a name is a virtual IP or a group of them. */
    boolean isVip(String name) {
        return scope.at(table("vip")).child(name) != null
                || scope.at(table("vipgrp")).child(name) != null;
    }

    /**
     * The condition that no virtual IP translates a packet before the policies: one that is
     * translated matches no address but virtual IPs.
     */
    Condition untranslated() throws RuleSyntaxException {
        AddressRanges external = AddressRanges.NONE;
        for (ConfigNode vip : scope.at(table("vip")).children()) {
            ConfigNode address = vip.child("extip");
            if (address != null && !vip.value("status", "enable").equals("disable")) {
                String text = address.only().name();
                external =
                        external.or(
                                switch (text) { // the address of the interface
                                    case "0.0.0.0" -> AddressRanges.V4;
                                    case "::" -> AddressRanges.V6;
                                    default -> AddressRanges.of(text, address.column());
                                });
            }
        }
        if (external.equals(AddressRanges.NONE)) {
            return Condition.ALWAYS;
        }
        return Condition.not(
                all(
                        FirewallRules.addresses(external, List.of(), false, false),
                        new Condition.Unknown("whether a virtual IP translates the destination")));
    }

    private Condition unknown(ConfigNode name, boolean source) {
        boolean isVip = isVip(name.name());
        String kind = isVip ? "virtual IP " : "address ";
        if (missing.add(name.name())) {
            in.warn(
                    name.line(),
                    isVip
                            ? "virtual IP %s translates destinations: rules that ask for it depend"
                                    .formatted(name.name())
                            : "address %s is not defined in this file: rules that ask for it depend"
                                    .formatted(name.name()));
        }
        return new Condition.Unknown(kind + name.name() + side(source));
    }
}
