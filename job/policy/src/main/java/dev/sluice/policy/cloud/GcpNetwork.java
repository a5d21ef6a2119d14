package dev.sluice.policy.cloud;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Instances and rules of the networks of Google Cloud. */
final class GcpNetwork {
    /** Metadata, names and time, which no rule sees. */
    private static final String SERVICES = "services that no rule sees";

    final List<Nic> nics = new ArrayList<>();
    final List<Rule> rules = new ArrayList<>();
    final List<Level> levels = new ArrayList<>();

    /** Networks that ask their own policy before their firewall rules. */
    final Set<String> policyFirst = new LinkedHashSet<>();

    /**
     * An interface of an instance.
     *
     * @param addresses those inside its network
     * @param publics addresses that a gateway translates from and to those
     */
    record Nic(
            String network,
            Set<String> tags,
            Set<String> accounts,
            AddressSet addresses,
            AddressSet publics) {}

    /**
     * A firewall policy: of an organization or a folder, or of networks.
     *
     * @param networks names of the networks that it is for; empty: all
     */
    record Level(
            String name,
            YamlPosition at,
            boolean hierarchical,
            int rank,
            Set<String> networks,
            List<Rule> rules) {}

    /** Ends of a rule: addresses, or instances by their tags and accounts. */
    record Ends(
            @Nullable AddressSet blocks,
            Set<String> tags,
            Set<String> accounts,
            @Nullable Condition unknown) {
        boolean isAny() {
            return blocks == null && tags.isEmpty() && accounts.isEmpty() && unknown == null;
        }
    }

    /** Consequence of a rule; {@link #NEXT} leaves the packet to the next policy. */
    enum Action {
        ALLOW,
        DENY,
        NEXT
    }

    /**
     * A rule.
     *
     * @param networks names of the networks that it is for; empty: all
     * @param targets tags and accounts of the instances that it is for
     * @param own addresses that the end of the instance must have beside
     */
    record Rule(
            YamlPosition at,
            String name,
            String comment,
            boolean out,
            int priority,
            Action action,
            Set<String> networks,
            Ends targets,
            @Nullable AddressSet own,
            Ends peers,
            CloudTraffic traffic) {}

    /** The policies of all networks together, of each direction, and of each network's rules. */
    Map<String, Policy> policies(String file, AddressSet services) {
        Map<String, Policy> policies = new LinkedHashMap<>();
        if (!nics.isEmpty()) {
            Stage out = stage("egress", true, file, services, networks());
            Stage in = stage("ingress", false, file, services, networks());
            policies.put("", policy("cloud", List.of(out, in)));
            policies.put("out", policy("out", List.of(out)));
            policies.put("in", policy("in", List.of(in)));
        }
        for (String network : networks()) {
            for (boolean out : new boolean[] {true, false}) {
                String name = network + (out ? "/out" : "/in");
                policies.put(
                        name,
                        policy(name, List.of(stage(name, out, file, services, Set.of(network)))));
            }
        }
        return policies;
    }

    private static Policy policy(String name, List<Stage> stages) {
        return new Policy(name, CloudStage.IP, stages, null);
    }

    private Set<String> networks() {
        Set<String> networks = new LinkedHashSet<>();
        rules.forEach(rule -> networks.addAll(rule.networks));
        levels.forEach(level -> networks.addAll(level.networks));
        nics.forEach(nic -> networks.add(nic.network));
        if (networks.isEmpty()) {
            networks.add("default");
        }
        return networks;
    }

    private Stage stage(
            String name, boolean out, String file, AddressSet services, Set<String> networks) {
        CloudStage stage = new CloudStage(name, out, file);
        boolean alone = !name.equals("egress") && !name.equals("ingress");
        stage.addReplies();
        stage.add(
                SERVICES,
                Condition.any(stage.own(services), stage.peer(services)),
                CloudStage.PERMIT);
        stage.addTranslated(
                AddressSet.of(nics.stream().map(Nic::addresses).toList()),
                AddressSet.of(nics.stream().map(Nic::publics).toList()));
        for (String network : networks) {
            AddressSet own =
                    AddressSet.of(
                            nics.stream()
                                    .filter(nic -> nic.network.equals(network))
                                    .map(nic -> nic.addresses.or(nic.publics))
                                    .toList());
            if (alone || !own.isEmpty()) {
                Condition of = alone ? Condition.ALWAYS : stage.own(own);
                for (PolicyRule rule : of(stage, network, of, alone)) {
                    stage.add(rule);
                }
                stage.add(
                        "implied rule of network " + network,
                        of,
                        out ? CloudStage.PERMIT : CloudStage.DENY);
            }
        }
        return stage.ending("no instance " + (out ? "sends it" : "receives it"), CloudStage.PERMIT);
    }

    /** The calls of the lists of a network, in the order in which they are asked. */
    private List<PolicyRule> of(CloudStage stage, String network, Condition own, boolean alone) {
        List<PolicyRule> calls = new ArrayList<>();
        Predicate<Level> ofNetwork =
                level -> level.networks.isEmpty() || level.networks.contains(network);
        List<Level> sorted =
                levels.stream()
                        .filter(ofNetwork)
                        .sorted(Comparator.comparingInt(Level::rank))
                        .toList();
        for (Level level : sorted) {
            if (level.hierarchical && asks(level.rules, stage)) {
                calls.add(call(stage, network, own, alone, level.name, level.rules, level.at));
            }
        }
        List<PolicyRule> last = new ArrayList<>();
        for (Level level : sorted) {
            if (!level.hierarchical && asks(level.rules, stage)) {
                last.add(call(stage, network, own, alone, level.name, level.rules, level.at));
            }
        }
        boolean first = policyFirst.contains(network);
        calls.addAll(first ? last : List.of());
        List<Rule> of = rules.stream().filter(rule -> rule.networks.contains(network)).toList();
        if (asks(of, stage)) {
            calls.add(call(stage, network, own, alone, "rules of " + network, of, of.get(0).at));
        }
        calls.addAll(first ? List.of() : last);
        return calls;
    }

    private static boolean asks(List<Rule> of, CloudStage stage) {
        return of.stream().anyMatch(rule -> rule.out == stage.out);
    }

    private PolicyRule call(
            CloudStage stage,
            String network,
            Condition own,
            boolean alone,
            String name,
            List<Rule> of,
            YamlPosition at) {
        String list = "%s/%s".formatted(name, stage.out ? "out" : "in");
        String chain = name.contains(network) ? list : list + " in " + network;
        List<PolicyRule> rules = new ArrayList<>();
        of.stream()
                .filter(rule -> rule.out == stage.out)
                .filter(rule -> rule.networks.isEmpty() || rule.networks.contains(network))
                .sorted(
                        Comparator.comparingInt(Rule::priority)
                                .thenComparing(rule -> rule.action == Action.DENY ? 0 : 1))
                .forEach(rule -> rules.add(rule(rule, chain, stage, network, alone)));
        stage.addChain(chain, rules);
        return stage.rule(at, name, own, new Effect.Jump(chain));
    }

    private PolicyRule rule(
            Rule rule, String chain, CloudStage stage, String network, boolean alone) {
        List<Condition> ends = new ArrayList<>();
        if (!rule.targets.isAny()) {
            ends.add(members(rule.targets, stage, true, network, alone));
        }
        if (rule.own != null) {
            ends.add(stage.own(rule.own));
        }
        if (!rule.peers.isAny()) {
            ends.add(members(rule.peers, stage, false, network, nics.isEmpty()));
        }
        String text =
                "%d %s%s %s"
                        .formatted(
                                rule.priority,
                                switch (rule.action) {
                                    case ALLOW -> "allow";
                                    case DENY -> "deny";
                                    case NEXT -> "goto_next";
                                },
                                rule.name.isEmpty() ? "" : " " + rule.name,
                                rule.traffic.words());
        return new CloudRule(
                        rule.at,
                        chain,
                        text,
                        rule.comment,
                        rule.traffic.from(ends.toArray(Condition[]::new)),
                        rule.action != Action.DENY)
                .permittingBy(rule.action == Action.NEXT ? new Effect.Return() : CloudStage.PERMIT);
    }

    /**
     * The condition that an end is one of some.
     *
     * @param unseen whether nobody knows which address has which tags
     */
    private Condition members(
            Ends ends, CloudStage stage, boolean own, String network, boolean unseen) {
        List<Condition> any = new ArrayList<>();
        if (ends.blocks != null) {
            any.add(own ? stage.own(ends.blocks) : stage.peer(ends.blocks));
        }
        if (!ends.tags.isEmpty() || !ends.accounts.isEmpty()) {
            AddressSet of =
                    AddressSet.of(
                            nics.stream()
                                    .filter(nic -> nic.network.equals(network))
                                    .filter(
                                            nic ->
                                                    nic.tags.stream().anyMatch(ends.tags::contains)
                                                            || nic.accounts.stream()
                                                                    .anyMatch(
                                                                            ends.accounts
                                                                                    ::contains))
                                    .map(nic -> own ? nic.addresses.or(nic.publics) : nic.addresses)
                                    .toList());
            Set<String> words = new LinkedHashSet<>(ends.tags);
            words.addAll(ends.accounts);
            any.add(
                    unseen
                            ? new Condition.Unknown(
                                    "whether the instance has " + String.join(" or ", words))
                            : own ? stage.own(of) : stage.peer(of));
        }
        if (ends.unknown != null) {
            any.add(ends.unknown);
        }
        return Condition.any(any.toArray(Condition[]::new));
    }
}
