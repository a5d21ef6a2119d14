package dev.sluice.policy.cloud;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Groups, interfaces and networks of Azure, by their ids in lower case. */
final class AzureNetwork {
    /** Address of the host's services and of probes of load balancers. */
    static final AddressSet HOST = CloudText.addresses("168.63.129.16");

    private static final AddressSet PLATFORM = HOST.or(CloudText.addresses("169.254.169.254"));

    private static final Condition OPEN =
            new Condition.Unknown("what gateways, peers and routes add to VirtualNetwork");

    /** Addresses that the Internet reaches. */
    private static final AddressSet PUBLIC =
            AddressSet.ALL.minus(
                    CloudText.addresses(
                            "0.0.0.0/8",
                            "10.0.0.0/8",
                            "100.64.0.0/10",
                            "127.0.0.0/8",
                            "169.254.0.0/16",
                            "172.16.0.0/12",
                            "192.168.0.0/16",
                            "224.0.0.0/3",
                            "::/8",
                            "fc00::/7",
                            "fe80::/10",
                            "ff00::/8"));

    final Map<String, Group> groups = new LinkedHashMap<>();
    final List<Nic> nics = new ArrayList<>();
    final Map<String, Vnet> vnets = new LinkedHashMap<>();

    /** Groups of subnets, by the subnet's id. */
    final Map<String, String> ofSubnet = new HashMap<>();

    /** Groups of interfaces that the groups tell, by the interface's id. */
    final Map<String, String> ofNic = new HashMap<>();

    /** Addresses of service tags, by their names in lower case. */
    final Map<String, AddressSet> tags = new TreeMap<>();

    /** A network security group. */
    record Group(String name, YamlPosition at, List<Rule> rules) {}

    /** A network interface; {@code group} is the id of its own group, or empty. */
    record Nic(String id, String subnet, String group, Set<String> asgs, AddressSet addresses) {
        /** The id of its virtual network, which that of its subnet begins with. */
        String vnet() {
            int end = subnet.indexOf("/subnets/");
            return end < 0 ? "" : subnet.substring(0, end);
        }
    }

    /**
     * A virtual network.
     *
     * @param peers addresses of networks that are peered with it
     * @param open whether more belongs to it than files tell: what gateways or routes lead to
     */
    record Vnet(AddressSet blocks, AddressSet peers, boolean open) {}

    /** An end of a rule: any, addresses and names of tags, or application security groups. */
    record End(boolean any, AddressSet blocks, List<String> tags, List<String> asgs) {}

    /** A rule. */
    record Rule(
            YamlPosition at,
            String name,
            String comment,
            boolean out,
            int priority,
            boolean permits,
            CloudTraffic traffic,
            End source,
            End destination) {}

    /** The group of a reference: by its id, or where it is one name by that. */
    @Nullable Group group(String reference) {
        Group exact = groups.get(reference);
        if (exact != null) {
            return exact;
        }
        List<Group> named =
                groups.entrySet().stream()
                        .filter(
                                each ->
                                        CloudText.lastOf(each.getKey())
                                                .equals(CloudText.lastOf(reference)))
                        .map(Map.Entry::getValue)
                        .toList();
        return named.size() == 1 ? named.get(0) : null;
    }

    /** The policies of both directions, of each alone, and of each group. */
    Map<String, Policy> policies(String file) {
        Map<String, Policy> policies = new LinkedHashMap<>();
        if (!nics.isEmpty()) {
            List<Stage> out =
                    List.of(
                            stage("nic-out", true, true, file),
                            stage("subnet-out", true, false, file));
            List<Stage> in =
                    List.of(
                            stage("subnet-in", false, false, file),
                            stage("nic-in", false, true, file));
            List<Stage> both = new ArrayList<>(out);
            both.addAll(in);
            policies.put("", policy("cloud", both));
            policies.put("out", policy("out", out));
            policies.put("in", policy("in", in));
        }
        String only = vnets.size() == 1 ? vnets.keySet().iterator().next() : "";
        for (Group group : groups.values()) {
            for (boolean out : new boolean[] {false, true}) {
                String name = group.name + (out ? "/out" : "/in");
                CloudStage stage = new CloudStage(name, out, file);
                stage.addReplies();
                rules(group, stage, name, only).forEach(stage::add);
                Stage whole = stage.ending(group.name + " ends", CloudStage.DENY);
                policies.put(name, policy(name, List.of(whole)));
            }
        }
        return policies;
    }

    private static Policy policy(String name, List<Stage> stages) {
        return new Policy(name, CloudStage.IP, stages, null);
    }

    /** The stage of the groups of interfaces, or of those of subnets. */
    private Stage stage(String name, boolean out, boolean ofNics, String file) {
        CloudStage stage = new CloudStage(name, out, file);
        stage.addReplies();
        addPlatform(stage);
        Map<String, Map<String, List<AddressSet>>> byGroup = new LinkedHashMap<>();
        for (Nic nic : nics) {
            String own = nic.group.isEmpty() ? ofNic.getOrDefault(nic.id, "") : nic.group;
            String reference = ofNics ? own : ofSubnet.getOrDefault(nic.subnet, "");
            if (!reference.isEmpty()) {
                byGroup.computeIfAbsent(reference, k -> new LinkedHashMap<>())
                        .computeIfAbsent(nic.vnet(), k -> new ArrayList<>())
                        .add(nic.addresses);
            }
        }
        byGroup.forEach(
                (reference, byVnet) ->
                        byVnet.forEach(
                                (vnet, of) -> {
                                    Condition own = stage.own(AddressSet.of(of));
                                    Group group = group(reference);
                                    if (group == null) {
                                        String words = CloudText.lastOf(reference);
                                        stage.addUnclear(
                                                "group %s is in no file".formatted(words),
                                                own,
                                                "the rules of " + words);
                                        return;
                                    }
                                    String list = group.name + (out ? "/out" : "/in");
                                    String chain =
                                            byVnet.size() == 1
                                                    ? list
                                                    : list + " of " + CloudText.lastOf(vnet);
                                    stage.addChain(chain, rules(group, stage, chain, vnet));
                                    stage.add(group.at, group.name, own, new Effect.Jump(chain));
                                }));
        return stage.ending(
                "no group of " + (ofNics ? "an interface" : "a subnet") + " sees it",
                CloudStage.PERMIT);
    }

    /** Adds that what interfaces send to the platform passes, unless a rule names such services. */
    private void addPlatform(CloudStage stage) {
        if (!stage.out) {
            return;
        }
        boolean named =
                groups.values().stream()
                        .flatMap(group -> group.rules.stream())
                        .flatMap(rule -> rule.destination.tags.stream())
                        .anyMatch(tag -> tag.toLowerCase(Locale.ROOT).startsWith("azureplatform"));
        String text = "services of the platform, which no group sees";
        if (named) {
            stage.addUnclear(
                    text, stage.peer(PLATFORM), "whether a rule of AzurePlatform tags is meant");
        } else {
            stage.add(text, stage.peer(PLATFORM), CloudStage.PERMIT);
        }
    }

    private List<PolicyRule> rules(Group group, CloudStage stage, String chain, String vnet) {
        return group.rules.stream()
                .filter(rule -> rule.out == stage.out)
                .sorted(Comparator.comparingInt(Rule::priority))
                .map(
                        rule ->
                                new CloudRule(
                                                rule.at,
                                                chain,
                                                "%d %s %s %s"
                                                        .formatted(
                                                                rule.priority,
                                                                rule.permits ? "Allow" : "Deny",
                                                                rule.name,
                                                                rule.traffic.words()),
                                                rule.comment,
                                                rule.traffic.from(
                                                        end(rule.source, true, vnet),
                                                        end(rule.destination, false, vnet)),
                                                rule.permits)
                                        .deciding())
                .toList();
    }

    /** The condition that an end of a packet is one of a rule. */
    private Condition end(End end, boolean source, String id) {
        if (end.any) {
            return Condition.ALWAYS;
        }
        AddressSet sure = end.blocks;
        List<Condition> ends = new ArrayList<>();
        Vnet vnet = vnets.get(id);
        AddressSet inside = vnet == null ? HOST : vnet.blocks.or(vnet.peers).or(HOST);
        for (String tag : end.tags) {
            String name = tag.toLowerCase(Locale.ROOT);
            AddressSet known = tags.get(name);
            switch (name) {
                case "virtualnetwork" -> {
                    sure = sure.or(inside);
                    if (isOpen(vnet)) {
                        ends.add(OPEN);
                    }
                }
                case "internet" -> {
                    AddressSet outside = PUBLIC.minus(inside);
                    if (isOpen(vnet)) {
                        ends.add(all(outside.condition(source), not(OPEN)));
                    } else {
                        sure = sure.or(outside);
                    }
                }
                case "azureloadbalancer" -> sure = sure.or(HOST);
                default -> {
                    if (known == null) {
                        ends.add(new Condition.Unknown("the addresses of service tag " + tag));
                    } else {
                        sure = sure.or(known);
                    }
                }
            }
        }
        for (String asg : end.asgs) {
            if (nics.isEmpty()) {
                ends.add(new Condition.Unknown("the interfaces of group " + CloudText.lastOf(asg)));
            }
            sure =
                    sure.or(
                            AddressSet.of(
                                    nics.stream()
                                            .filter(nic -> nic.asgs.contains(asg))
                                            .map(Nic::addresses)
                                            .toList()));
        }
        if (!sure.isEmpty() || ends.isEmpty()) {
            ends.add(0, sure.condition(source));
        }
        return any(ends.toArray(Condition[]::new));
    }

    /** Returns whether a network may have addresses that no file tells. */
    private static boolean isOpen(@Nullable Vnet vnet) {
        return vnet == null || vnet.open;
    }
}
