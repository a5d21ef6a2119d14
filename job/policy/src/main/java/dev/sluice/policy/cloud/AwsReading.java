package dev.sluice.policy.cloud;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.cloud.AwsNetwork.Entry;
import dev.sluice.policy.cloud.AwsNetwork.Interface;
import dev.sluice.policy.cloud.AwsNetwork.Listed;
import dev.sluice.policy.cloud.AwsNetwork.Peer;
import dev.sluice.policy.cloud.AwsNetwork.Subnet;
import dev.sluice.policy.model.Policy;
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
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A reading of what {@code aws ec2 describe-…} prints, or of {@code terraform show -json}. */
final class AwsReading {
    /** Services that neither security groups nor network ACLs see, by the VPC User Guide. */
    private static final AddressSet SERVICES =
            CloudText.addresses(
                    "169.254.169.253",
                    "169.254.169.254",
                    "169.254.169.123",
                    "169.254.170.2",
                    "fd00:ec2::253",
                    "fd00:ec2::254",
                    "fd00:ec2::123");

    private static final Pattern LIST_ID = Pattern.compile("pl-[0-9a-f]+");
    private static final int MOST_NUMBER = 40_000;
    private static final int MOST_ICMP = 255;

    private final RuleReading in;
    private final AwsEntries entries;
    private final AwsNetwork network = new AwsNetwork();
    private final Map<String, Integer> ignored = new TreeMap<>();
    private AddressSet services = SERVICES;

    AwsReading(RuleReading in, boolean skips) {
        this.in = in;
        entries = new AwsEntries(in, skips);
    }

    /** Reads all files; defects are reported to the reading. */
    Map<String, Policy> policies() throws IOException {
        String file = in.file();
        CloudText.each(in, this::take);
        if (in.hasDefects()) {
            return Map.of();
        }
        warn(file);
        return AwsStages.policies(network, file, services);
    }

    private void take(YamlNode document) throws YamlException {
        YamlFields fields = YamlFields.of(document);
        if (TerraformResources.isState(fields)) {
            new TerraformResources(entries, network).take(fields);
            return;
        }
        for (YamlNode.Scalar key : fields.keys()) {
            for (YamlFields each : objects(fields, key.text())) {
                try {
                    take(key.text(), each);
                } catch (YamlException e) {
                    in.defect(e.file(), e.line(), e.defect());
                }
            }
        }
    }

    /** The objects of a key; none where it holds something else. */
    private static List<YamlFields> objects(YamlFields fields, String key) throws YamlException {
        List<YamlFields> objects = new ArrayList<>();
        if (fields.take(key) instanceof YamlNode.Sequence list) {
            for (YamlNode each : list.values()) {
                if (each instanceof YamlNode.Mapping) {
                    objects.add(YamlFields.of(each));
                }
            }
        }
        return objects;
    }

    private void take(String key, YamlFields object) throws YamlException {
        switch (key) {
            case "SecurityGroups" -> takeGroup(object);
            case "NetworkAcls" -> takeAcl(object);
            case "NetworkInterfaces" -> takeInterface(object);
            case "Subnets" -> takeSubnet(object);
            case "PrefixLists" -> takePrefixList(object);
            case "Entries" -> takeEntries(object);
            case "Vpcs" -> takeVpc(object);
            case "Reservations" -> {
                for (YamlFields instance : CloudText.items(object, "Instances")) {
                    for (YamlFields each : CloudText.items(instance, "NetworkInterfaces")) {
                        takeInterface(each);
                    }
                }
            }
            default -> ignored.merge(key, 1, Integer::sum);
        }
    }

    private void takeGroup(YamlFields object) throws YamlException {
        String id = object.requireString("GroupId");
        String name = CloudText.word(object, "GroupName");
        String words = name.isEmpty() ? id : "%s (%s)".formatted(id, name);
        Listed group = AwsNetwork.add(network.groups, new Listed(id, words, object.at()));
        for (boolean out : new boolean[] {false, true}) {
            String field = out ? "IpPermissionsEgress" : "IpPermissions";
            for (YamlFields permission : CloudText.items(object, field)) {
                entries.add(
                        permission, () -> takePermission(group, out, permission), group, out, 0);
            }
        }
    }

    private void takePermission(Listed group, boolean out, YamlFields permission)
            throws YamlException {
        CloudTraffic traffic =
                AwsEntries.traffic(
                        permission.require("IpProtocol"),
                        CloudText.number(permission, "FromPort", -1, CloudTraffic.MOST_PORT),
                        CloudText.number(permission, "ToPort", -1, CloudTraffic.MOST_PORT));
        List<Entry> all = new ArrayList<>();
        for (YamlFields each : CloudText.items(permission, "IpRanges")) {
            Peer peer = AwsEntries.peer(each.require("CidrIp"));
            all.add(entry(each, out, traffic, peer));
        }
        for (YamlFields each : CloudText.items(permission, "Ipv6Ranges")) {
            Peer peer = AwsEntries.peer(each.require("CidrIpv6"));
            all.add(entry(each, out, traffic, peer));
        }
        for (YamlFields each : CloudText.items(permission, "PrefixListIds")) {
            String id = each.requireString("PrefixListId");
            all.add(entry(each, out, traffic, new Peer(null, id, id)));
        }
        for (YamlFields each : CloudText.items(permission, "UserIdGroupPairs")) {
            String id = each.requireString("GroupId");
            for (String key : List.of("UserId", "GroupName", "VpcId", "PeeringStatus")) {
                each.take(key);
            }
            each.take("VpcPeeringConnectionId");
            all.add(entry(each, out, traffic, new Peer(null, id, id)));
        }
        permission.requireNoMore("a permission");
        group.entries().addAll(all);
    }

    private static Entry entry(YamlFields source, boolean out, CloudTraffic traffic, Peer peer)
            throws YamlException {
        String comment = CloudText.word(source, "Description");
        source.requireNoMore("a source of a permission");
        return new Entry(source.at(), out, 0, true, traffic, peer, comment);
    }

    private static AddressSet block(YamlNode node) throws YamlException {
        return AddressSet.addressOrBlock(node);
    }

    private void takeAcl(YamlFields object) throws YamlException {
        String id = object.requireString("NetworkAclId");
        Listed acl = AwsNetwork.add(network.acls, new Listed(id, id, object.at()));
        for (YamlFields each : CloudText.items(object, "Associations")) {
            acl.subnets().add(each.requireString("SubnetId"));
        }
        for (YamlFields each : CloudText.items(object, "Entries")) {
            Integer number = each.number("RuleNumber", 1, MOST_NUMBER);
            boolean out = each.flag("Egress");
            int place = number == null ? 1 : number;
            entries.add(each, () -> takeEntry(acl, out, place, each), acl, out, place);
        }
    }

    private static void takeEntry(Listed acl, boolean out, int number, YamlFields entry)
            throws YamlException {
        YamlNode protocol = entry.require("Protocol");
        YamlFields ports = entry.fields("PortRange");
        YamlFields icmp = entry.fields("IcmpTypeCode");
        CloudTraffic traffic;
        if (icmp != null) {
            traffic =
                    AwsEntries.traffic(
                            protocol,
                            icmp.number("Type", -1, MOST_ICMP),
                            icmp.number("Code", -1, MOST_ICMP));
        } else if (ports != null) {
            traffic =
                    AwsEntries.traffic(
                            protocol,
                            ports.number("From", -1, CloudTraffic.MOST_PORT),
                            ports.number("To", -1, CloudTraffic.MOST_PORT));
        } else {
            traffic = AwsEntries.traffic(protocol, null, null);
        }
        YamlNode block = entry.take("CidrBlock");
        YamlNode block6 = entry.take("Ipv6CidrBlock");
        YamlNode action = entry.require("RuleAction");
        boolean permits = AwsEntries.permits(action);
        entry.require("RuleNumber");
        entry.requireNoMore("an entry of a network ACL");
        Peer peer =
                AwsEntries.peer(
                        block != null
                                ? block
                                : block6 != null ? block6 : entry.require("CidrBlock"));
        acl.entries().add(new Entry(entry.at(), out, number, permits, traffic, peer, ""));
    }

    private void takeInterface(YamlFields object) throws YamlException {
        Set<String> groups = new LinkedHashSet<>();
        for (YamlFields each : CloudText.items(object, "Groups")) {
            groups.add(each.requireString("GroupId"));
        }
        AddressSet addresses = AddressSet.NONE;
        AddressSet publics = AddressSet.NONE;
        for (YamlFields each : CloudText.items(object, "PrivateIpAddresses")) {
            addresses = addresses.or(block(each.require("PrivateIpAddress")));
            YamlFields association = each.fields("Association");
            YamlNode known = association == null ? null : association.take("PublicIp");
            publics = known == null ? publics : publics.or(block(known));
        }
        YamlNode first = object.take("PrivateIpAddress");
        addresses = first == null ? addresses : addresses.or(block(first));
        for (List<String> more :
                List.of(
                        List.of("Ipv6Addresses", "Ipv6Address"),
                        List.of("Ipv4Prefixes", "Ipv4Prefix"),
                        List.of("Ipv6Prefixes", "Ipv6Prefix"))) {
            for (YamlFields each : CloudText.items(object, more.get(0))) {
                addresses = addresses.or(block(each.require(more.get(1))));
            }
        }
        network.add(
                new Interface(
                        object.requireString("NetworkInterfaceId"),
                        object.at(),
                        CloudText.word(object, "VpcId"),
                        CloudText.word(object, "SubnetId"),
                        groups,
                        addresses,
                        publics,
                        object.take("SourceDestCheck") != null && !object.flag("SourceDestCheck")));
    }

    private void takeSubnet(YamlFields object) throws YamlException {
        AddressSet blocks = AddressSet.NONE;
        YamlNode block = object.take("CidrBlock");
        blocks = block == null ? blocks : blocks.or(block(block));
        for (YamlFields each : CloudText.items(object, "Ipv6CidrBlockAssociationSet")) {
            blocks = blocks.or(block(each.require("Ipv6CidrBlock")));
        }
        String id = object.requireString("SubnetId");
        network.subnets.put(id, new Subnet(id, CloudText.word(object, "VpcId"), blocks));
    }

    /** Adds the address of the name server of a network, which no list sees: its third one. */
    private void takeVpc(YamlFields object) throws YamlException {
        YamlNode block = object.take("CidrBlock");
        if (block != null) {
            AddressSet all = block(block);
            services = services.or(all.third());
        }
    }

    private void takePrefixList(YamlFields object) throws YamlException {
        String id = object.requireString("PrefixListId");
        YamlNode cidrs = object.take("Cidrs");
        if (cidrs != null) {
            AddressSet all = AddressSet.NONE;
            for (YamlNode each : cidrs.values()) {
                all = all.or(block(each));
            }
            network.prefixLists.put(id, all);
        }
    }

    /** Adds an address of the prefix list that the name of the file tells. */
    private void takeEntries(YamlFields object) throws YamlException {
        YamlNode block = object.require("Cidr");
        String file = object.at().file();
        Matcher id = LIST_ID.matcher(file.substring(file.lastIndexOf('/') + 1));
        if (!id.find()) {
            throw object.at()
                    .refused(
                            "Entries",
                            "are those of a prefix list that nobody names; name the file by it, as in pl-0123abcd.json");
        }
        network.prefixLists.merge(id.group(), block(block), AddressSet::or);
    }

    private void warn(String file) {
        if (!ignored.isEmpty()) {
            List<String> others = new ArrayList<>();
            ignored.forEach((key, count) -> others.add("%,d of %s".formatted(count, key)));
            in.warn(
                    file,
                    1,
                    "objects that decide about no packet here: " + String.join(", ", others));
        }
        if (network.interfaces("").isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no network interface, so that no list has a packet; add the output of aws ec2 describe-network-interfaces");
        } else if (network.acls.isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no network ACL, so that security groups alone are judged; add the output of aws ec2 describe-network-acls");
        }
        Interface other = network.ambiguous();
        if (other != null) {
            in.warn(
                    other.at().file(),
                    other.at().line(),
                    "%s has an address of an interface of another network; judge one network, as in %s#%s"
                            .formatted(other.id(), file, other.vpc()));
        }
    }
}
