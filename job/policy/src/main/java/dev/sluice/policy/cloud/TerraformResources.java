package dev.sluice.policy.cloud;

import dev.sluice.policy.cloud.AwsNetwork.Entry;
import dev.sluice.policy.cloud.AwsNetwork.Interface;
import dev.sluice.policy.cloud.AwsNetwork.Listed;
import dev.sluice.policy.cloud.AwsNetwork.Peer;
import dev.sluice.policy.cloud.AwsNetwork.Subnet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Resources of AWS in what {@code terraform show -json} prints of a state or a plan. */
final class TerraformResources {
    private final AwsEntries entries;
    private final AwsNetwork network;

    TerraformResources(AwsEntries entries, AwsNetwork network) {
        this.entries = entries;
        this.network = network;
    }

    static boolean isState(YamlFields fields) {
        return fields.take("format_version") != null;
    }

    /** Reads the resources of a state, or those that a plan leads to. */
    void take(YamlFields document) throws YamlException {
        YamlFields values = document.fields("planned_values");
        values = values == null ? document.fields("values") : values;
        YamlFields root = values == null ? null : values.fields("root_module");
        if (root != null) {
            takeModule(root);
        }
    }

    private void takeModule(YamlFields module) throws YamlException {
        for (YamlFields each : CloudText.items(module, "resources")) {
            YamlFields values = each.fields("values");
            if (values != null) {
                take(CloudText.word(each, "type"), CloudText.word(each, "address"), values);
            }
        }
        for (YamlFields each : CloudText.items(module, "child_modules")) {
            takeModule(each);
        }
    }

    private void take(String type, String address, YamlFields values) throws YamlException {
        switch (type) {
            case "aws_security_group", "aws_default_security_group" ->
                    takeGroup(id(values, address), address, values);
            case "aws_security_group_rule" ->
                    takeRule(values, "security_group_id", CloudText.word(values, "type"), address);
            case "aws_vpc_security_group_ingress_rule" ->
                    takeRule(values, "security_group_id", "ingress", address);
            case "aws_vpc_security_group_egress_rule" ->
                    takeRule(values, "security_group_id", "egress", address);
            case "aws_network_acl", "aws_default_network_acl" ->
                    takeAcl(id(values, address), address, values);
            case "aws_network_acl_rule" -> {
                Listed acl =
                        AwsNetwork.list(
                                network.acls, id(values, "network_acl_id", address), values.at());
                takeEntry(acl, values.flag("egress"), "rule_number", "rule_action", values);
            }
            case "aws_network_acl_association" ->
                    AwsNetwork.list(
                                    network.acls,
                                    id(values, "network_acl_id", address),
                                    values.at())
                            .subnets()
                            .add(CloudText.word(values, "subnet_id"));
            case "aws_subnet", "aws_default_subnet" -> takeSubnet(id(values, address), values);
            case "aws_instance", "aws_network_interface" ->
                    takeInterface(id(values, address), values);
            case "aws_ec2_managed_prefix_list" -> {
                AddressSet all = AddressSet.NONE;
                for (YamlFields each : CloudText.items(values, "entry")) {
                    all = all.or(AddressSet.block(each.require("cidr")));
                }
                network.prefixLists.put(id(values, address), all);
            }
            default -> {
                // a resource that decides about no packet here
            }
        }
    }

    /** The id of a resource; before it is made its address. */
    private static String id(YamlFields values, String address) throws YamlException {
        return id(values, "id", address);
    }

    private static String id(YamlFields values, String key, String address) throws YamlException {
        String id = CloudText.word(values, key);
        return id.isEmpty() ? address : id;
    }

    private void takeGroup(String id, String address, YamlFields values) throws YamlException {
        Listed known = network.groups.get(id);
        Listed group = new Listed(id, "%s (%s)".formatted(id, address), values.at());
        if (known != null) {
            group.entries().addAll(known.entries());
        }
        network.groups.put(id, group);
        for (boolean out : new boolean[] {false, true}) {
            for (YamlFields rule : CloudText.items(values, out ? "egress" : "ingress")) {
                entries.add(rule, () -> takeRule(group, out, rule), group, out, 0);
            }
        }
    }

    private void takeRule(YamlFields values, String key, String direction, String address)
            throws YamlException {
        boolean out = direction.equals("egress");
        Listed group = AwsNetwork.list(network.groups, id(values, key, address), values.at());
        entries.add(values, () -> takeRule(group, out, values), group, out, 0);
    }

    private void takeRule(Listed group, boolean out, YamlFields rule) throws YamlException {
        YamlNode protocol = rule.take("protocol");
        CloudTraffic traffic =
                AwsEntries.traffic(
                        protocol == null ? rule.require("ip_protocol") : protocol,
                        CloudText.number(rule, "from_port", -1, CloudTraffic.MOST_PORT),
                        CloudText.number(rule, "to_port", -1, CloudTraffic.MOST_PORT));
        List<Peer> peers = new ArrayList<>();
        for (String key : List.of("cidr_blocks", "ipv6_cidr_blocks")) {
            for (YamlNode each : rule.list(key)) {
                peers.add(AwsEntries.peer(each));
            }
        }
        for (String key : List.of("cidr_ipv4", "cidr_ipv6")) {
            YamlNode block = rule.take(key);
            if (block != null) {
                peers.add(AwsEntries.peer(block));
            }
        }
        List<String> ids = new ArrayList<>(CloudText.words(rule, "prefix_list_ids"));
        ids.addAll(CloudText.words(rule, "security_groups"));
        for (String key :
                List.of(
                        "prefix_list_id",
                        "source_security_group_id",
                        "referenced_security_group_id")) {
            ids.add(CloudText.word(rule, key));
        }
        ids.add(rule.take("self") != null && rule.flag("self") ? group.id() : "");
        for (String id : ids) {
            if (!id.isEmpty()) {
                String own = id.substring(id.lastIndexOf('/') + 1); // of another account
                peers.add(new Peer(null, own, own));
            }
        }
        if (peers.isEmpty()) {
            throw rule.at()
                    .refused(
                            rule.words(),
                            "names no other end that is known before the plan is applied; print the state");
        }
        String comment = CloudText.word(rule, "description");
        for (Peer peer : peers) {
            group.entries().add(new Entry(rule.at(), out, 0, true, traffic, peer, comment));
        }
    }

    private void takeAcl(String id, String address, YamlFields values) throws YamlException {
        Listed known = network.acls.get(id);
        Listed acl = new Listed(id, "%s (%s)".formatted(id, address), values.at());
        if (known != null) {
            acl.entries().addAll(known.entries());
            acl.subnets().addAll(known.subnets());
        }
        network.acls.put(id, acl);
        acl.subnets().addAll(CloudText.words(values, "subnet_ids"));
        for (boolean out : new boolean[] {false, true}) {
            for (YamlFields each : CloudText.items(values, out ? "egress" : "ingress")) {
                takeEntry(acl, out, "rule_no", "action", each);
            }
        }
    }

    private void takeEntry(
            Listed acl, boolean out, String numberKey, String actionKey, YamlFields entry)
            throws YamlException {
        Integer number = CloudText.number(entry, numberKey, 1, 32_766);
        int place = number == null ? 1 : number;
        entries.add(
                entry,
                () -> {
                    YamlNode protocol = entry.require("protocol");
                    boolean icmp =
                            !CloudText.word(protocol).matches("-1|all")
                                    && CloudTraffic.isIcmp(CloudTraffic.protocol(protocol));
                    CloudTraffic traffic =
                            AwsEntries.traffic(
                                    protocol,
                                    CloudText.number(
                                            entry, icmp ? "icmp_type" : "from_port", -1, 65535),
                                    CloudText.number(
                                            entry, icmp ? "icmp_code" : "to_port", -1, 65535));
                    String v4 = CloudText.word(entry, "cidr_block");
                    YamlNode block = entry.require(v4.isEmpty() ? "ipv6_cidr_block" : "cidr_block");
                    boolean permits = AwsEntries.permits(entry.require(actionKey));
                    acl.entries()
                            .add(
                                    new Entry(
                                            entry.at(),
                                            out,
                                            place,
                                            permits,
                                            traffic,
                                            AwsEntries.peer(block),
                                            ""));
                },
                acl,
                out,
                place);
    }

    private void takeSubnet(String id, YamlFields values) throws YamlException {
        AddressSet blocks = AddressSet.NONE;
        for (String key : List.of("cidr_block", "ipv6_cidr_block")) {
            YamlNode block = values.take(key);
            if (block != null && !CloudText.word(block).isEmpty()) {
                blocks = blocks.or(AddressSet.block(block));
            }
        }
        network.subnets.put(id, new Subnet(id, CloudText.word(values, "vpc_id"), blocks));
    }

    private void takeInterface(String id, YamlFields values) throws YamlException {
        AddressSet addresses = AddressSet.NONE;
        for (String key : List.of("private_ips", "ipv6_addresses", "secondary_private_ips")) {
            for (YamlNode each : values.list(key)) {
                addresses = addresses.or(AddressSet.addressOrBlock(each));
            }
        }
        YamlNode address = values.take("private_ip");
        if (address != null && !CloudText.word(address).isEmpty()) {
            addresses = addresses.or(AddressSet.address(address));
        }
        YamlNode outside = values.take("public_ip");
        boolean known = outside != null && !CloudText.word(outside).isEmpty();
        Set<String> groups = new LinkedHashSet<>(CloudText.words(values, "vpc_security_group_ids"));
        if (values.take("private_ips") != null) {
            groups.addAll(CloudText.words(values, "security_groups"));
        }
        String subnet = CloudText.word(values, "subnet_id");
        Subnet of = network.subnets.get(subnet);
        network.add(
                new Interface(
                        CloudText.word(values, "primary_network_interface_id").isEmpty()
                                ? id
                                : CloudText.word(values, "primary_network_interface_id"),
                        values.at(),
                        of == null ? "" : of.vpc(),
                        subnet,
                        groups,
                        addresses,
                        known && outside != null ? AddressSet.address(outside) : AddressSet.NONE,
                        values.take("source_dest_check") != null
                                && !values.flag("source_dest_check")));
    }
}
