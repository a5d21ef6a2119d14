package dev.sluice.policy.cloud;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.cloud.AwsNetwork.Interface;
import dev.sluice.policy.cloud.AwsNetwork.Listed;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.yaml.AddressSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stages of a network of AWS, or of all networks of the files. */
final class AwsStages {
    private final AwsNetwork network;
    private final String file;
    private final List<Interface> interfaces;

    /** Addresses of services of each network, to which and from which no list sees packets. */
    private final AddressSet services;

    private final AddressSet privates;
    private final AddressSet publics;

    AwsStages(AwsNetwork network, String file, String vpc, AddressSet services) {
        this.network = network;
        this.file = file;
        this.services = services;
        interfaces = network.interfaces(vpc);
        privates = AddressSet.of(interfaces.stream().map(Interface::addresses).toList());
        publics = AddressSet.of(interfaces.stream().map(Interface::publics).toList());
    }

    /** The policies of both directions, of each alone under its name, and of each list. */
    static Map<String, Policy> policies(AwsNetwork network, String file, AddressSet services) {
        Map<String, Policy> policies = new LinkedHashMap<>();
        AwsStages all = new AwsStages(network, file, "", services);
        if (!all.interfaces.isEmpty() && network.ambiguous() == null) {
            policies.put("", policy("cloud", all.stages(true, true)));
            policies.put("out", policy("out", all.stages(true, false)));
            policies.put("in", policy("in", all.stages(false, true)));
        }
        if (network.vpcs().size() > 1) {
            for (String vpc : network.vpcs()) {
                AwsStages one = new AwsStages(network, file, vpc, services);
                policies.put(vpc, policy(vpc, one.stages(true, true)));
            }
        }
        for (boolean out : new boolean[] {true, false}) {
            network.groups.values().forEach(group -> all.addList(policies, group, out, true));
            network.acls.values().forEach(acl -> all.addList(policies, acl, out, false));
        }
        return policies;
    }

    private static Policy policy(String name, List<Stage> stages) {
        return new Policy(name, CloudStage.IP, stages, null);
    }

    /** Adds the policy of a list alone. */
    private void addList(Map<String, Policy> policies, Listed list, boolean out, boolean stateful) {
        String name = list.list(out);
        CloudStage stage = new CloudStage(name, out, file);
        if (stateful) {
            stage.addReplies();
        }
        network.rules(list, stage).forEach(rule -> stage.add(rule.deciding()));
        Stage whole = stage.ending(list.words() + " allows nothing else", CloudStage.DENY);
        policies.put(name, policy(name, List.of(whole)));
    }

    private List<Stage> stages(boolean out, boolean in) {
        List<Stage> stages = new ArrayList<>();
        if (out) {
            addGroups(stages, true);
            addAcls(stages, true);
        }
        if (in) {
            addAcls(stages, false);
            addGroups(stages, false);
        }
        return stages;
    }

    private void addGroups(List<Stage> stages, boolean out) {
        CloudStage stage = new CloudStage(out ? "egress" : "ingress", out, file);
        stage.addReplies();
        addServices(stage);
        stage.addTranslated(privates, publics);
        Map<String, List<Interface>> members = new LinkedHashMap<>();
        Map<String, List<Interface>> byFirst = new LinkedHashMap<>();
        for (Interface each : interfaces) {
            each.groups()
                    .forEach(id -> members.computeIfAbsent(id, k -> new ArrayList<>()).add(each));
            each.groups().stream()
                    .limit(1)
                    .forEach(id -> byFirst.computeIfAbsent(id, k -> new ArrayList<>()).add(each));
        }
        members.forEach(
                (id, of) -> {
                    Condition own = stage.own(addresses(of));
                    Listed group = network.groups.get(id);
                    if (group == null) {
                        stage.add(
                                id + " is in no file",
                                all(own, new Condition.Unknown("the rules of " + id)),
                                CloudStage.PERMIT);
                        return;
                    }
                    List<CloudRule> rules = network.rules(group, stage);
                    if (!rules.isEmpty()) {
                        String list = group.list(out);
                        stage.addChain(list, rules.stream().map(CloudRule::deciding).toList());
                        stage.add(group.at(), group.words(), own, new Effect.Jump(list));
                    }
                });
        byFirst.forEach(
                (id, of) -> {
                    Condition own = stage.own(addresses(of));
                    Listed group = network.groups.get(id);
                    if (group == null) {
                        stage.add(id + " allows nothing else", own, CloudStage.DENY);
                    } else {
                        String text = group.words() + " allows nothing else";
                        stage.add(group.at(), text, own, CloudStage.DENY);
                    }
                });
        stages.add(
                stage.ending(
                        "no interface with security groups " + (out ? "sends it" : "receives it"),
                        CloudStage.PERMIT));
    }

    private void addAcls(List<Stage> stages, boolean out) {
        if (network.acls.isEmpty()) {
            return;
        }
        CloudStage stage = new CloudStage(out ? "acl-out" : "acl-in", out, file);
        addServices(stage);
        stage.addTranslated(privates, publics);
        Map<String, List<Interface>> bySubnet = new LinkedHashMap<>();
        interfaces.forEach(
                each -> bySubnet.computeIfAbsent(each.subnet(), k -> new ArrayList<>()).add(each));
        bySubnet.remove("");
        List<Condition> within = new ArrayList<>();
        bySubnet.forEach(
                (subnet, of) ->
                        within.add(
                                all(
                                        addresses(of).condition(out),
                                        blocks(subnet, of).condition(!out))));
        stage.add(
                "no network ACL sees traffic within a subnet",
                new Condition.Any(within),
                CloudStage.PERMIT);
        addForwarded(stage);
        Set<String> judged = new HashSet<>();
        for (Listed acl : network.acls.values()) {
            judged.addAll(acl.subnets());
            List<Interface> of =
                    interfaces.stream()
                            .filter(each -> acl.subnets().contains(each.subnet()))
                            .toList();
            if (!of.isEmpty()) {
                addChain(stage, acl, acl.list(out), CloudStage.PERMIT);
                stage.add(
                        acl.at(),
                        acl.words(),
                        stage.own(addresses(of)),
                        new Effect.Jump(acl.list(out)));
            }
        }
        bySubnet.forEach(
                (subnet, of) -> {
                    if (!judged.contains(subnet)) {
                        stage.addUnclear(
                                "the network ACL of %s is in no file".formatted(subnet),
                                stage.own(addresses(of)),
                                "the network ACL of " + subnet);
                    }
                });
        stages.add(
                stage.ending(
                        "no interface " + (out ? "sends it" : "receives it"), CloudStage.PERMIT));
    }

    /** Adds an ACL as a chain, whose entries that permit have some consequence. */
    private void addChain(CloudStage stage, Listed acl, String name, Effect permit) {
        List<CloudRule> rules = network.rules(acl, stage);
        List<PolicyRule> chain = new ArrayList<>();
        rules.forEach(rule -> chain.add(rule.permittingBy(permit)));
        chain.add(
                stage.general(
                        acl.words() + " allows nothing else", Condition.ALWAYS, CloudStage.DENY));
        stage.addChain(name, chain);
    }

    /**
     * Adds the ACLs of subnets with gateways that pass packets on: a route may lead there, so that
     * what these ACLs deny is denied or not. A packet that leaves its network comes into such a
     * subnet behind its own, and one that comes into a network leaves such a subnet before.
     */
    private void addForwarded(CloudStage stage) {
        Map<String, Condition> by = new LinkedHashMap<>();
        for (Interface gateway : interfaces) {
            if (gateway.forwards()) {
                List<Interface> own = network.interfaces(gateway.vpc());
                AddressSet inside =
                        AddressSet.of(
                                network.subnets.values().stream()
                                        .filter(each -> each.vpc().equals(gateway.vpc()))
                                        .map(AwsNetwork.Subnet::blocks)
                                        .toList());
                by.putIfAbsent(
                        gateway.subnet(),
                        all(stage.own(addresses(own)), not(stage.peer(inside.or(addresses(own))))));
            }
        }
        CloudStage other = new CloudStage(stage.name, !stage.out, file);
        by.forEach(
                (subnet, passing) -> {
                    for (Listed acl : network.acls.values()) {
                        if (acl.subnets().contains(subnet)) {
                            addForwarded(stage, other, acl, subnet, passing);
                        }
                    }
                });
    }

    /**
     * Adds the entries of an ACL that a packet may meet on its way.
     *
     * @param other a stage of the other direction: a packet that leaves its subnet comes into that
     *     of a gateway
     */
    private void addForwarded(
            CloudStage stage, CloudStage other, Listed acl, String subnet, Condition passing) {
        if (!network.permitsAll(acl, other.out)) {
            String name = acl.list(other.out) + " of gateways";
            addChain(other, acl, name, new Effect.Return());
            stage.addChain(name, other.chain(name));
            stage.add(
                    "a route may lead through %s, which has a gateway".formatted(subnet),
                    all(passing, new Condition.Unknown("whether a route leads through " + subnet)),
                    new Effect.Jump(name));
        }
    }

    private void addServices(CloudStage stage) {
        stage.add(
                "services that no list sees",
                any(stage.own(services), stage.peer(services)),
                CloudStage.PERMIT);
    }

    private AddressSet addresses(List<Interface> of) {
        return AddressSet.of(of.stream().map(Interface::all).toList());
    }

    /** The addresses of a subnet; of one that no file tells those of its interfaces. */
    private AddressSet blocks(String subnet, List<Interface> of) {
        AwsNetwork.Subnet known = network.subnets.get(subnet);
        AddressSet own = AddressSet.of(of.stream().map(Interface::addresses).toList());
        return known == null ? own : known.blocks().or(own);
    }
}
