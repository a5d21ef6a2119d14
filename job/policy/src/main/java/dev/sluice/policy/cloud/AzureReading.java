package dev.sluice.policy.cloud;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.cloud.AzureNetwork.End;
import dev.sluice.policy.cloud.AzureNetwork.Group;
import dev.sluice.policy.cloud.AzureNetwork.Nic;
import dev.sluice.policy.cloud.AzureNetwork.Rule;
import dev.sluice.policy.cloud.AzureNetwork.Vnet;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A reading of groups, interfaces, networks and service tags of Azure. */
final class AzureReading {
    private static final int MOST_PRIORITY = 65_500;

    /** First priority of the rules that each group ends with. */
    private static final int FIRST_DEFAULT = 65_000;

    private static final End ANY = new End(true, AddressSet.NONE, List.of(), List.of());

    /**
     * Name in an expression of a template, as {@code [resourceId('…/networkSecurityGroups', 'a')]}.
     */
    private static final Pattern NAME = Pattern.compile("'([^']*)'\\s*\\)\\s*\\]$");

    private static final Set<String> OTHER_FIELDS =
            Set.of(
                    "id",
                    "etag",
                    "name",
                    "type",
                    "properties",
                    "resourceGroup",
                    "provisioningState",
                    "description");

    private final RuleReading in;
    private final boolean skips;
    private final AzureNetwork network = new AzureNetwork();

    AzureReading(RuleReading in, boolean skips) {
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
        network.groups.values().forEach(AzureReading::addDefaults);
        if (network.nics.isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no network interface, so that no group has a packet; add the output of az network nic list");
        } else if (network.vnets.isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no virtual network, so that packets depend on VirtualNetwork; add the output of az network vnet list");
        }
        return network.policies(file);
    }

    private void take(YamlNode document) throws YamlException {
        if (document instanceof YamlNode.Sequence list) {
            for (YamlNode each : list.values()) {
                take(each);
            }
            return;
        }
        YamlFields object = YamlFields.of(document);
        for (String key : List.of("resources", "value")) {
            if (object.take(key) instanceof YamlNode.Sequence list) {
                take(list);
                return;
            }
        }
        try {
            takeObject(object);
        } catch (YamlException e) {
            in.defect(e.file(), e.line(), e.defect());
        }
    }

    private void takeObject(YamlFields object) throws YamlException {
        YamlFields properties = properties(object);
        String type = CloudText.lastOf(CloudText.word(object, "type"));
        if (object.take("changeNumber") != null) {
            takeTags(object);
        } else if (type.equals("networksecuritygroups")
                || properties.take("securityRules") != null) {
            takeGroup(object, properties);
        } else if (type.equals("networkinterfaces")
                || properties.take("ipConfigurations") != null && type.isEmpty()) {
            takeNic(object, properties);
        } else if (type.equals("virtualnetworks") || properties.take("addressSpace") != null) {
            takeVnet(object, properties);
        }
    }

    /** The fields of a resource: those of the command line stand beside its name. */
    private static YamlFields properties(YamlFields object) throws YamlException {
        YamlFields properties = object.fields("properties");
        return properties == null ? object : properties;
    }

    /** The id of a resource, or of a reference to one, in lower case. */
    private static String id(YamlFields object) throws YamlException {
        String id = CloudText.word(object, "id", "name");
        Matcher name = NAME.matcher(id);
        return (name.find() ? name.group(1) : id).toLowerCase(Locale.ROOT);
    }

    /** The id that a field refers to; empty: none. */
    private static String reference(YamlFields fields, String key) throws YamlException {
        YamlFields of = fields.fields(key);
        return of == null ? "" : id(of);
    }

    private void takeTags(YamlFields object) throws YamlException {
        for (YamlFields each : CloudText.items(object, "values")) {
            List<AddressSet> all = new ArrayList<>();
            for (YamlNode block : properties(each).list("addressPrefixes")) {
                all.add(AddressSet.addressOrBlock(block));
            }
            network.tags.put(
                    each.requireString("name").toLowerCase(Locale.ROOT), AddressSet.of(all));
        }
    }

    private void takeGroup(YamlFields object, YamlFields properties) throws YamlException {
        String name = CloudText.word(object, "name");
        Group group = new Group(name, object.at(), new ArrayList<>());
        Group other = network.groups.putIfAbsent(id(object), group);
        if (other != null) {
            throw object.at()
                    .refused(
                            name,
                            "is there twice, also in %s:%d; remove one"
                                    .formatted(other.at().file(), other.at().line()));
        }
        for (YamlFields each : CloudText.items(properties, "subnets")) {
            network.ofSubnet.put(id(each), id(object));
        }
        for (YamlFields each : CloudText.items(properties, "networkInterfaces")) {
            network.ofNic.put(id(each), id(object));
        }
        for (String key : List.of("securityRules", "defaultSecurityRules")) {
            for (YamlFields each : CloudText.items(properties, key)) {
                try {
                    group.rules().add(rule(each, properties(each)));
                } catch (YamlException e) {
                    skip(group, each, e);
                }
            }
        }
    }

    private void skip(Group group, YamlFields rule, YamlException e) throws YamlException {
        if (!skips) {
            in.defect(e.file(), e.line(), e.defect());
            return;
        }
        String words = "skipped: " + e.getMessage();
        in.warn(e.file(), e.line(), words);
        Integer priority = CloudText.number(properties(rule), "priority", 0, MOST_PRIORITY);
        CloudTraffic unknown = new CloudTraffic(new Condition.Unknown(words), rule.words());
        for (boolean out : new boolean[] {true, false}) {
            for (boolean permits : new boolean[] {true, false}) {
                group.rules()
                        .add(
                                new Rule(
                                        rule.at(),
                                        CloudText.word(rule, "name"),
                                        "",
                                        out,
                                        priority == null ? 0 : priority,
                                        permits,
                                        unknown,
                                        ANY,
                                        ANY));
            }
        }
    }

    private static Rule rule(YamlFields object, YamlFields of) throws YamlException {
        YamlNode priority = of.require("priority");
        Integer number = CloudText.number(of, "priority", 1, MOST_PRIORITY);
        boolean out = choice(of.require("direction"), "Outbound", "Inbound");
        boolean permits = choice(of.require("access"), "Allow", "Deny");
        CloudTraffic traffic = traffic(of);
        End source = end(of, "source");
        End destination = end(of, "destination");
        String comment = CloudText.word(of, "description");
        OTHER_FIELDS.forEach(of::take);
        of.requireNoMore("a security rule");
        if (number == null) {
            throw priority.at().refused(priority.words(), "is no priority; write a number");
        }
        return new Rule(
                object.at(),
                CloudText.word(object, "name"),
                comment,
                out,
                number,
                permits,
                traffic,
                source,
                destination);
    }

    /** Returns whether a word is the first one of two. */
    private static boolean choice(YamlNode node, String first, String second) throws YamlException {
        String word = CloudText.word(node);
        if (!word.equalsIgnoreCase(first) && !word.equalsIgnoreCase(second)) {
            throw node.at().refused(word, "is neither %s nor %s".formatted(first, second));
        }
        return word.equalsIgnoreCase(first);
    }

    private static CloudTraffic traffic(YamlFields of) throws YamlException {
        YamlNode protocol = of.require("protocol");
        String word = CloudText.word(protocol);
        boolean all = word.equals("*") || word.equalsIgnoreCase("any");
        List<Condition> ports = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (String side : List.of("source", "destination")) {
            ValueSet values = new ValueSet(List.of());
            boolean any = false;
            List<YamlNode> nodes = new ArrayList<>(of.list(side + "PortRanges"));
            YamlNode one = of.take(side + "PortRange");
            if (one != null && !CloudText.word(one).isEmpty()) {
                nodes.add(one);
            }
            for (YamlNode each : nodes) {
                any |= CloudText.word(each).equals("*");
                values = any ? values : values.or(CloudText.range(each));
            }
            if (!any && !nodes.isEmpty()) {
                boolean source = side.equals("source");
                ports.add(new Condition.In(source ? Field.SRC_PORT : Field.DST_PORT, values));
                words.add(
                        (source ? "from " : "")
                                + String.join(",", nodes.stream().map(YamlNode::words).toList()));
            }
        }
        String more = words.isEmpty() ? "" : " " + String.join(" ", words);
        if (all) {
            return ports.isEmpty()
                    ? CloudTraffic.ALL
                    : new CloudTraffic(ofPortsOrUnknown(new Condition.All(ports)), "all" + more);
        }
        int number = CloudTraffic.protocol(protocol);
        CloudTraffic whole = CloudTraffic.of(number);
        if (number == CloudTraffic.ICMP) {
            Condition v6 =
                    Condition.all(
                            CloudTraffic.of(CloudTraffic.ICMPV6).condition(),
                            new Condition.Unknown("whether Icmp means ICMPv6"));
            return new CloudTraffic(Condition.any(whole.condition(), v6), whole.words());
        }
        List<Condition> parts = new ArrayList<>(List.of(whole.condition()));
        parts.addAll(CloudTraffic.hasPorts(number) ? ports : List.of());
        return new CloudTraffic(new Condition.All(parts), whole.words() + more);
    }

    /** Ports under any protocol: Azure does not say what they mean to a packet without ports. */
    private static Condition ofPortsOrUnknown(Condition ports) {
        List<Condition> protocols = new ArrayList<>();
        for (int each : new int[] {6, 17, 132}) {
            protocols.add(CloudTraffic.of(each).condition());
        }
        Condition known = new Condition.Any(protocols);
        return Condition.any(
                Condition.all(known, ports),
                Condition.all(
                        Condition.not(known),
                        new Condition.Unknown("whether ports mean packets without ports")));
    }

    private static End end(YamlFields of, String side) throws YamlException {
        List<YamlNode> nodes = new ArrayList<>(of.list(side + "AddressPrefixes"));
        YamlNode one = of.take(side + "AddressPrefix");
        if (one != null && !CloudText.word(one).isEmpty()) {
            nodes.add(one);
        }
        List<String> asgs = new ArrayList<>();
        for (YamlFields each : CloudText.items(of, side + "ApplicationSecurityGroups")) {
            asgs.add(id(each));
        }
        AddressSet blocks = AddressSet.NONE;
        List<String> tags = new ArrayList<>();
        boolean any = nodes.isEmpty() && asgs.isEmpty();
        for (YamlNode each : nodes) {
            String word = CloudText.word(each);
            if (word.equals("*") || word.equalsIgnoreCase("any")) {
                any = true;
            } else if (word.matches("[A-Za-z][A-Za-z0-9._-]*") && word.indexOf(':') < 0) {
                tags.add(word);
            } else {
                blocks = blocks.or(AddressSet.addressOrBlock(each));
            }
        }
        return new End(any, blocks, tags, asgs);
    }

    private void takeNic(YamlFields object, YamlFields properties) throws YamlException {
        AddressSet addresses = AddressSet.NONE;
        Set<String> asgs = new LinkedHashSet<>();
        String subnet = "";
        for (YamlFields each : CloudText.items(properties, "ipConfigurations")) {
            YamlFields of = properties(each);
            YamlNode address = of.take("privateIPAddress");
            address = address == null ? of.take("privateIpAddress") : address;
            if (address != null) {
                addresses = addresses.or(AddressSet.addressOrBlock(address));
            }
            String next = reference(of, "subnet");
            subnet = next.isEmpty() ? subnet : next;
            for (YamlFields asg : CloudText.items(of, "applicationSecurityGroups")) {
                asgs.add(id(asg));
            }
        }
        String group = reference(properties, "networkSecurityGroup");
        network.nics.add(new Nic(id(object), subnet, group, asgs, addresses));
    }

    private void takeVnet(YamlFields object, YamlFields properties) throws YamlException {
        AddressSet blocks = blocks(properties, "addressSpace");
        AddressSet peers = AddressSet.NONE;
        boolean open = false;
        for (YamlFields each : CloudText.items(properties, "virtualNetworkPeerings")) {
            YamlFields of = properties(each);
            peers = peers.or(blocks(of, "remoteAddressSpace"));
            peers = peers.or(blocks(of, "remoteVirtualNetworkAddressSpace"));
            open |= of.take("useRemoteGateways") != null && of.flag("useRemoteGateways");
        }
        String id = id(object);
        for (YamlFields each : CloudText.items(properties, "subnets")) {
            YamlFields of = properties(each);
            String name = CloudText.word(each, "name");
            open |= name.equalsIgnoreCase("GatewaySubnet") || of.take("routeTable") != null;
            String group = reference(of, "networkSecurityGroup");
            if (!group.isEmpty()) {
                network.ofSubnet.put(id + "/subnets/" + name.toLowerCase(Locale.ROOT), group);
            }
        }
        network.vnets.put(id, new Vnet(blocks, peers, open));
    }

    private static AddressSet blocks(YamlFields fields, String key) throws YamlException {
        AddressSet blocks = AddressSet.NONE;
        YamlFields space = fields.fields(key);
        if (space != null) {
            for (YamlNode each : space.list("addressPrefixes")) {
                blocks = blocks.or(AddressSet.addressOrBlock(each));
            }
        }
        return blocks;
    }

    /** Adds the rules that each group ends with, where its file leaves them out. */
    private static void addDefaults(Group group) {
        if (group.rules().stream().anyMatch(rule -> rule.priority() >= FIRST_DEFAULT)) {
            return;
        }
        End vnet = new End(false, AddressSet.NONE, List.of("VirtualNetwork"), List.of());
        End probes = new End(false, AddressSet.NONE, List.of("AzureLoadBalancer"), List.of());
        End internet = new End(false, AddressSet.NONE, List.of("Internet"), List.of());
        YamlPosition at = group.at();
        group.rules().add(usual(at, "AllowVnetInBound", false, 65_000, vnet, vnet));
        group.rules().add(usual(at, "AllowAzureLoadBalancerInBound", false, 65_001, probes, ANY));
        group.rules().add(usual(at, "DenyAllInBound", false, MOST_PRIORITY, ANY, ANY));
        group.rules().add(usual(at, "AllowVnetOutBound", true, 65_000, vnet, vnet));
        group.rules().add(usual(at, "AllowInternetOutBound", true, 65_001, ANY, internet));
        group.rules().add(usual(at, "DenyAllOutBound", true, MOST_PRIORITY, ANY, ANY));
    }

    private static Rule usual(
            YamlPosition at, String name, boolean out, int priority, End source, End destination) {
        boolean permits = priority < MOST_PRIORITY;
        return new Rule(
                at, name, "", out, priority, permits, CloudTraffic.ALL, source, destination);
    }
}
