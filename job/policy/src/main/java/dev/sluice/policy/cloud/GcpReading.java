package dev.sluice.policy.cloud;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.cloud.GcpNetwork.Action;
import dev.sluice.policy.cloud.GcpNetwork.Ends;
import dev.sluice.policy.cloud.GcpNetwork.Level;
import dev.sluice.policy.cloud.GcpNetwork.Nic;
import dev.sluice.policy.cloud.GcpNetwork.Rule;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reading of firewall rules, firewall policies, networks and instances of Google Cloud. */
final class GcpReading {
    private static final int MOST_PRIORITY = Integer.MAX_VALUE;
    private static final int USUAL_PRIORITY = 1000;
    private static final Ends ANY = new Ends(null, Set.of(), Set.of(), null);

    /** Rank of the policies of folders, behind that of an organization. */
    private static final int OF_FOLDER = 1;

    /** Parts of a match that no packet tells. */
    private static final List<String> UNSEEN =
            List.of(
                    "AddressGroups",
                    "Fqdns",
                    "RegionCodes",
                    "ThreatIntelligences",
                    "SecureTags",
                    "Networks",
                    "NetworkScope",
                    "NetworkContext",
                    "NetworkType");

    private final RuleReading in;
    private final boolean skips;
    private final GcpNetwork network = new GcpNetwork();
    private int levels;

    GcpReading(RuleReading in, boolean skips) {
        this.in = in;
        this.skips = skips;
    }

    /** Reads all files; defects are reported to the reading. */
    Map<String, Policy> policies() throws IOException {
        String file = in.file();
        CloudText.each(in, this::take);
        if (in.hasDefects()) {
            return Map.of();
        }
        if (network.nics.isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no instance, so that nobody tells which address has which tags; add the output of gcloud compute instances list --format=json");
        }
        return network.policies(file, CloudText.addresses("169.254.169.254"));
    }

    private void take(YamlNode document) throws YamlException {
        if (document instanceof YamlNode.Sequence list) {
            for (YamlNode each : list.values()) {
                take(each);
            }
            return;
        }
        YamlFields object = YamlFields.of(document);
        String kind = CloudText.word(object, "kind");
        try {
            if (object.take("firewallPolicys") != null || object.take("firewalls") != null) {
                takeEffective(object);
            } else if (kind.equals("compute#instance")
                    || object.take("networkInterfaces") != null) {
                takeInstance(object);
            } else if (kind.equals("compute#firewallPolicy") || object.take("rules") != null) {
                takePolicy(object);
            } else if (kind.equals("compute#network")) {
                if (CloudText.word(object, "networkFirewallPolicyEnforcementOrder")
                        .equals("BEFORE_CLASSIC_FIREWALL")) {
                    network.policyFirst.add(CloudText.lastOf(object.requireString("name")));
                }
            } else if (object.take("allowed") != null || object.take("denied") != null) {
                takeFirewall(object);
            } else {
                throw object.at()
                        .refused(
                                object.words(),
                                "is no firewall rule, policy, network or instance; leave it out");
            }
        } catch (YamlException e) {
            in.defect(e.file(), e.line(), e.defect());
        }
    }

    /** Reads what {@code gcloud compute networks get-effective-firewalls} prints. */
    private void takeEffective(YamlFields object) throws YamlException {
        for (YamlFields each : CloudText.items(object, "firewallPolicys")) {
            takePolicy(each);
        }
        for (YamlFields each : CloudText.items(object, "firewalls")) {
            takeFirewall(each);
        }
    }

    private void takeInstance(YamlFields object) throws YamlException {
        YamlFields tagged = object.fields("tags");
        Set<String> tags =
                tagged == null ? Set.of() : new LinkedHashSet<>(CloudText.words(tagged, "items"));
        Set<String> accounts = new LinkedHashSet<>();
        for (YamlFields each : CloudText.items(object, "serviceAccounts")) {
            accounts.add(each.requireString("email"));
        }
        for (YamlFields nic : CloudText.items(object, "networkInterfaces")) {
            AddressSet addresses = address(nic, "networkIP").or(address(nic, "ipv6Address"));
            for (YamlFields each : CloudText.items(nic, "aliasIpRanges")) {
                addresses = addresses.or(AddressSet.addressOrBlock(each.require("ipCidrRange")));
            }
            AddressSet publics = AddressSet.NONE;
            for (YamlFields each : CloudText.items(nic, "accessConfigs")) {
                publics = publics.or(address(each, "natIP"));
            }
            for (YamlFields each : CloudText.items(nic, "ipv6AccessConfigs")) {
                addresses = addresses.or(address(each, "externalIpv6"));
            }
            String of = CloudText.lastOf(CloudText.word(nic, "network"));
            network.nics.add(new Nic(of, tags, accounts, addresses, publics));
        }
    }

    private static AddressSet address(YamlFields fields, String key) throws YamlException {
        YamlNode node = fields.take(key);
        return node == null ? AddressSet.NONE : AddressSet.addressOrBlock(node);
    }

    private void takeFirewall(YamlFields object) throws YamlException {
        String name = CloudText.word(object, "name");
        Integer priority = CloudText.number(object, "priority", 0, MOST_PRIORITY);
        boolean out = isEgress(object);
        String of = CloudText.lastOf(CloudText.word(object, "network"));
        Set<String> networks = Set.of(of.isEmpty() ? "default" : of);
        Ends targets =
                new Ends(
                        null,
                        words(object, "targetTags"),
                        words(object, "targetServiceAccounts"),
                        null);
        AddressSet sources = blocks(object, "sourceRanges");
        AddressSet destinations = blocks(object, "destinationRanges");
        Ends peers =
                new Ends(
                        out ? destinations : sources,
                        words(object, "sourceTags"),
                        words(object, "sourceServiceAccounts"),
                        null);
        for (String key :
                List.of(
                        "kind",
                        "id",
                        "selfLink",
                        "description",
                        "creationTimestamp",
                        "logConfig",
                        "params",
                        "allowed",
                        "denied",
                        "selfLinkWithId",
                        "enableLogging")) {
            object.take(key);
        }
        if (object.take("disabled") != null && object.flag("disabled")) {
            return;
        }
        object.requireNoMore("a firewall rule");
        for (String key : List.of("denied", "allowed")) {
            for (YamlFields each : CloudText.items(object, key)) {
                List<CloudTraffic> traffic = traffic(each, "IPProtocol");
                for (CloudTraffic one : traffic) {
                    network.rules.add(
                            new Rule(
                                    each.at(),
                                    name,
                                    CloudText.word(object, "description"),
                                    out,
                                    priority == null ? USUAL_PRIORITY : priority,
                                    key.equals("denied") ? Action.DENY : Action.ALLOW,
                                    networks,
                                    targets,
                                    out ? sources : destinations,
                                    peers.isAny() ? ofIpv4() : peers,
                                    one));
                }
            }
        }
    }

    /** Ends of a firewall rule that names none: those of IPv4. */
    private static Ends ofIpv4() {
        return new Ends(AddressSet.ALL.onlyV4(), Set.of(), Set.of(), null);
    }

    private static boolean isEgress(YamlFields object) throws YamlException {
        YamlNode node = object.take("direction");
        String word = node == null ? "INGRESS" : CloudText.word(node);
        if (node != null && !word.equals("INGRESS") && !word.equals("EGRESS")) {
            throw node.at().refused(word, "is no direction; write INGRESS or EGRESS");
        }
        return word.equals("EGRESS");
    }

    private static Set<String> words(YamlFields fields, String key) throws YamlException {
        return new LinkedHashSet<>(CloudText.words(fields, key));
    }

    private static @Nullable AddressSet blocks(YamlFields fields, String key) throws YamlException {
        List<YamlNode> all = fields.list(key);
        AddressSet blocks = AddressSet.NONE;
        for (YamlNode each : all) {
            blocks = blocks.or(AddressSet.addressOrBlock(each));
        }
        return all.isEmpty() ? null : blocks;
    }

    /** The protocol and the ports of an entry, each range of ports by itself. */
    private static List<CloudTraffic> traffic(YamlFields entry, String key) throws YamlException {
        YamlNode protocol = entry.require(key);
        List<YamlNode> ports = entry.list("ports");
        entry.requireNoMore("an entry of a firewall rule");
        boolean all = CloudText.word(protocol).equals("all");
        if (ports.isEmpty()) {
            return List.of(
                    all ? CloudTraffic.ALL : CloudTraffic.of(CloudTraffic.protocol(protocol)));
        }
        int number = all ? -1 : CloudTraffic.protocol(protocol);
        if (!CloudTraffic.hasPorts(number)) {
            throw protocol.at().refused(protocol.words(), "has no ports; leave them out");
        }
        ValueSet values = new ValueSet(List.of());
        List<String> words = new ArrayList<>();
        for (YamlNode each : ports) {
            values = values.or(CloudText.range(each));
            words.add(CloudText.word(each));
        }
        return List.of(CloudTraffic.to(number, values, String.join(",", words)));
    }

    private void takePolicy(YamlFields object) throws YamlException {
        String name = CloudText.word(object, "displayName");
        name = name.isEmpty() ? CloudText.word(object, "shortName") : name;
        name = name.isEmpty() ? CloudText.word(object, "name") : name;
        String type = CloudText.word(object, "type");
        String parent = CloudText.word(object, "parent");
        Set<String> networks = new LinkedHashSet<>();
        for (YamlFields each : CloudText.items(object, "associations")) {
            String target = CloudText.word(each, "attachmentTarget");
            if (target.contains("/networks/")) {
                networks.add(CloudText.lastOf(target));
            }
        }
        boolean hierarchical = type.isEmpty() ? networks.isEmpty() : type.startsWith("HIERARCHY");
        int rank = parent.startsWith("organizations/") || parent.isEmpty() ? 0 : OF_FOLDER;
        for (Level other : network.levels) {
            if (parent.startsWith("folders/") && other.rank() == OF_FOLDER) {
                throw object.at()
                        .refused(
                                name,
                                "is of a second folder, and no file tells which one is asked first; print gcloud compute networks get-effective-firewalls");
            }
        }
        List<Rule> rules = new ArrayList<>();
        for (YamlFields each : CloudText.items(object, "rules")) {
            try {
                takeRule(rules, each);
            } catch (YamlException e) {
                if (!skips) {
                    in.defect(e.file(), e.line(), e.defect());
                    continue;
                }
                skip(rules, each, "skipped: " + e.getMessage());
                in.warn(e.file(), e.line(), "skipped: " + e.getMessage());
            }
        }
        network.levels.add(
                new Level(
                        name.isEmpty() ? "policy " + ++levels : name,
                        object.at(),
                        hierarchical,
                        rank,
                        networks,
                        rules));
    }

    /** Adds a rule that may permit and deny in either direction, or do nothing. */
    private static void skip(List<Rule> rules, YamlFields rule, String words) throws YamlException {
        Integer priority = CloudText.number(rule, "priority", 0, MOST_PRIORITY);
        CloudTraffic unknown = new CloudTraffic(new Condition.Unknown(words), rule.words());
        for (boolean out : new boolean[] {true, false}) {
            for (Action action : Action.values()) {
                rules.add(
                        new Rule(
                                rule.at(),
                                "skipped",
                                "",
                                out,
                                priority == null ? 0 : priority,
                                action,
                                Set.of(),
                                ANY,
                                null,
                                ANY,
                                unknown));
            }
        }
    }

    private void takeRule(List<Rule> rules, YamlFields object) throws YamlException {
        Integer priority = CloudText.number(object, "priority", 0, MOST_PRIORITY);
        if (priority == null) {
            throw object.at().refused(object.words(), "has no field priority; add it");
        }
        boolean out = isEgress(object);
        YamlNode word = object.require("action");
        String action = CloudText.word(word);
        boolean inspects = action.equals("apply_security_profile_group");
        if (!inspects && !action.matches("allow|deny|goto_next")) {
            throw word.at().refused(action, "is no action; write allow, deny or goto_next");
        }
        YamlFields match = object.fields("match");
        YamlFields older = match == null ? null : match.fields("config");
        match = older == null ? match : older; // as in the first version of the interface
        Set<String> networks = new LinkedHashSet<>();
        for (String each : CloudText.words(object, "targetResources")) {
            networks.add(CloudText.lastOf(each));
        }
        Condition secure =
                object.list("targetSecureTags").isEmpty()
                        ? null
                        : new Condition.Unknown("the secure tags of the instance");
        Ends targets = new Ends(null, Set.of(), words(object, "targetServiceAccounts"), secure);
        String name = CloudText.word(object, "ruleName");
        String comment = CloudText.word(object, "description");
        for (String key :
                List.of(
                        "kind",
                        "enableLogging",
                        "ruleTupleCount",
                        "securityProfileGroup",
                        "tlsInspect",
                        "targetType")) {
            object.take(key);
        }
        if (object.take("disabled") != null && object.flag("disabled")) {
            return;
        }
        object.requireNoMore("a rule of a firewall policy");
        List<CloudTraffic> traffic = new ArrayList<>();
        Ends sources = match == null ? ANY : ends(match, "src");
        Ends destinations = match == null ? ANY : ends(match, "dest");
        if (match != null) {
            for (YamlFields each : CloudText.items(match, "layer4Configs")) {
                traffic.addAll(traffic(each, "ipProtocol"));
            }
            match.take("versionedExpr");
            match.requireNoMore("a match");
        }
        Ends own = out ? sources : destinations;
        if (own.unknown() != null) {
            throw object.at()
                    .refused(
                            object.words(),
                            "asks more of the instance's own end than addresses; write targets");
        }
        for (CloudTraffic one : traffic.isEmpty() ? List.of(CloudTraffic.ALL) : traffic) {
            Rule rule =
                    new Rule(
                            object.at(),
                            name,
                            comment,
                            out,
                            priority,
                            action.equals("deny")
                                    ? Action.DENY
                                    : action.equals("goto_next") ? Action.NEXT : Action.ALLOW,
                            networks,
                            targets,
                            own.blocks(),
                            out ? destinations : sources,
                            one);
            if (inspects) {
                rules.add(inspected(rule));
            }
            rules.add(rule);
        }
    }

    /** A rule before one that inspects: what the inspection drops nobody tells. */
    private static Rule inspected(Rule of) {
        Condition drops =
                Condition.all(
                        of.traffic().condition(),
                        new Condition.Unknown("what a security profile drops"));
        return new Rule(
                of.at(),
                of.name(),
                of.comment(),
                of.out(),
                of.priority(),
                Action.DENY,
                of.networks(),
                of.targets(),
                of.own(),
                of.peers(),
                new CloudTraffic(drops, of.traffic().words()));
    }

    /** The ends of a match: its blocks, with what no packet tells beside. */
    private static Ends ends(YamlFields match, String side) throws YamlException {
        AddressSet blocks = blocks(match, side + "IpRanges");
        List<String> unseen = new ArrayList<>();
        for (String key : UNSEEN) {
            YamlNode node = match.take(side + key);
            boolean isEmpty = node instanceof YamlNode.Sequence list && list.values().isEmpty();
            if (node != null && !isEmpty) {
                unseen.add(side + key + " " + node.words());
            }
        }
        Condition unknown =
                unseen.isEmpty() ? null : new Condition.Unknown(String.join(", ", unseen));
        return new Ends(blocks, Set.of(), Set.of(), unknown);
    }
}
