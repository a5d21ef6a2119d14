package dev.sluice.policy.kubernetes;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * AdminNetworkPolicies, which come before NetworkPolicies in the order of their priorities, and the
 * BaselineAdminNetworkPolicy, which comes behind them.
 */
final class AdminPolicies {
    static final String GROUP = "policy.networking.k8s.io";
    private static final String ADMIN = "AdminNetworkPolicy";
    private static final String BASELINE = "BaselineAdminNetworkPolicy";
    private static final int MOST_PRIORITY = 1000;

    private final Cluster cluster;
    private final Skips skips;
    private final List<Admin> policies = new ArrayList<>();
    private final List<Admin> baselines = new ArrayList<>();

    /** Policy of either kind. */
    private record Admin(
            Manifest manifest,
            int priority,
            List<Pod> subject,
            Map<Direction, List<PolicyRule>> rules) {
        String chain(Direction direction) {
            return manifest.words() + " " + direction.field;
        }
    }

    AdminPolicies(Cluster cluster, Skips skips) {
        this.cluster = cluster;
        this.skips = skips;
    }

    /** Reads an object; false: it is none of these policies. */
    boolean read(Manifest manifest) throws YamlException {
        boolean isAdmin = manifest.kind().equals(ADMIN);
        if (!manifest.group().equals(GROUP) || !isAdmin && !manifest.kind().equals(BASELINE)) {
            return false;
        }
        manifest.requireVersion("v1alpha1");
        YamlFields fields = manifest.fields();
        fields.take("status");
        YamlFields spec = YamlFields.of(fields.require("spec"));
        fields.requireNoMore(manifest.kind());
        Integer priority = isAdmin ? spec.number("priority", 0, MOST_PRIORITY) : Integer.valueOf(0);
        if (priority == null) {
            throw spec.at().refused(spec.words(), "has no priority; add one");
        }
        Admin admin =
                new Admin(
                        manifest,
                        priority,
                        pods(YamlFields.of(spec.require("subject")), "a subject"),
                        new EnumMap<>(Direction.class));
        for (Direction direction : Direction.values()) {
            List<PolicyRule> rules = new ArrayList<>();
            for (YamlNode rule : spec.list(direction.field)) {
                rules.add(rule(admin, direction, YamlFields.of(rule), isAdmin));
            }
            admin.rules.put(direction, rules);
        }
        spec.requireNoMore(manifest.kind() + " spec");
        (isAdmin ? policies : baselines).add(admin);
        return true;
    }

    /** The pods of a subject or a peer; those in the network of their host are none. */
    private List<Pod> pods(YamlFields fields, String of) throws YamlException {
        YamlNode namespaces = fields.take("namespaces");
        YamlFields pods = fields.fields("pods");
        fields.requireNoMore(of);
        if ((namespaces == null) == (pods == null)) {
            throw fields.at().refused(fields.words(), "names no pods; write namespaces or pods");
        }
        List<Pod> selected;
        if (pods == null) {
            selected = cluster.inNamespaces(LabelSelector.of(fields.require("namespaces")), null);
        } else {
            selected =
                    cluster.inNamespaces(
                            LabelSelector.of(pods.require("namespaceSelector")),
                            LabelSelector.of(pods.require("podSelector")));
            pods.requireNoMore("pods");
        }
        return selected.stream().filter(pod -> !pod.hostNetwork()).toList();
    }

    private PolicyRule rule(Admin of, Direction direction, YamlFields rule, boolean passes)
            throws YamlException {
        YamlNode action = rule.require("action");
        Effect effect =
                switch (action.string()) {
                    case "Allow" -> StageDraft.PERMIT;
                    case "Deny" -> StageDraft.DENY;
                    case "Pass" -> passes ? new Effect.Goto(rest(direction)) : null;
                    default -> null;
                };
        if (effect == null) {
            throw action.at()
                    .refused(
                            action.string(),
                            "is no action; write Allow" + (passes ? ", Deny or Pass" : " or Deny"));
        }
        rule.take("name"); // which its words have
        Condition condition;
        try {
            condition = condition(of, direction, rule);
        } catch (YamlException e) {
            condition = skips.rule(e);
        }
        return StageDraft.worded(rule, of.chain(direction), condition, effect, action.string());
    }

    private Condition condition(Admin of, Direction direction, YamlFields rule)
            throws YamlException {
        Peers peers = Peers.NONE;
        YamlNode ends = rule.require(direction.peers);
        if (ends.values().isEmpty()) {
            throw ends.at()
                    .refused(ends.words(), "names no ends, which Kubernetes refuses; add one");
        }
        for (YamlNode end : ends.values()) {
            peers = peers.or(peer(direction, YamlFields.of(end)));
        }
        List<YamlNode> ports = rule.list("ports");
        rule.requireNoMore("a rule of " + direction.field);
        if (ports.isEmpty()) {
            return peers.condition(direction);
        }
        PortList list = new PortList();
        for (YamlNode port : ports) {
            read(YamlFields.of(port), peers, list);
        }
        return list.condition(peers, of.subject, cluster, direction);
    }

    private Peers peer(Direction direction, YamlFields peer) throws YamlException {
        YamlNode nodes = direction == Direction.EGRESS ? peer.take("nodes") : null;
        List<YamlNode> networks = direction == Direction.EGRESS ? peer.list("networks") : List.of();
        if (nodes == null && networks.isEmpty()) {
            return Peers.ofPods(pods(peer, "a peer"));
        }
        peer.requireNoMore("a peer");
        if (nodes != null && !networks.isEmpty()) {
            throw peer.at().refused(peer.words(), "has two kinds of ends; write two peers");
        }
        AddressSet blocks = AddressSet.NONE;
        for (YamlNode network : networks) {
            blocks = blocks.or(AddressSet.block(network));
        }
        return Peers.ofBlocks(
                nodes == null ? blocks : cluster.nodeAddresses(LabelSelector.of(nodes)));
    }

    private static void read(YamlFields port, Peers peers, PortList list) throws YamlException {
        YamlFields number = port.fields("portNumber");
        YamlFields range = port.fields("portRange");
        YamlNode name = port.take("namedPort");
        port.requireNoMore("a port");
        int kinds = (number == null ? 0 : 1) + (range == null ? 0 : 1) + (name == null ? 0 : 1);
        if (kinds != 1) {
            throw port.at()
                    .refused(
                            port.words(),
                            "is no port; write one of portNumber, portRange, namedPort");
        }
        if (number != null) {
            int one = required(number, "port", 1);
            list.add(Protocol.of(number.take("protocol")), one, one);
            number.requireNoMore("portNumber");
        } else if (range != null) {
            int start = required(range, "start", 1);
            list.add(Protocol.of(range.take("protocol")), start, required(range, "end", start));
            range.requireNoMore("portRange");
        } else if (name != null) {
            if (!peers.blocks().isEmpty()) {
                throw name.at()
                        .refused(
                                name.words(),
                                "has no meaning with nodes or networks; write a number");
            }
            list.add(NetworkPolicies.name(name), null);
        }
    }

    private static int required(YamlFields fields, String key, int least) throws YamlException {
        Integer number = fields.number(key, least, Protocol.MOST_PORT);
        if (number == null) {
            throw fields.at().refused(fields.words(), "has no number " + key + "; add it");
        }
        return number;
    }

    /** Refuses policies of one priority that select one pod, whose order nobody knows. */
    void requireOrder() {
        policies.sort(Comparator.comparingInt(Admin::priority));
        for (int i = 1; i < policies.size(); i++) {
            Admin later = policies.get(i);
            for (int j = i - 1; j >= 0 && policies.get(j).priority == later.priority; j--) {
                Admin other = policies.get(j);
                if (!Collections.disjoint(other.subject, later.subject)) {
                    refuse(
                            later.manifest,
                            "has the priority of %s and selects pods of it, so that their order is not defined; change one"
                                    .formatted(other.manifest.words()));
                }
            }
        }
        for (int i = 1; i < baselines.size(); i++) {
            refuse(baselines.get(i).manifest, "is a second " + BASELINE + "; a cluster has one");
        }
    }

    private void refuse(Manifest manifest, String problem) {
        skips.policy(manifest, manifest.at().refused(manifest.words(), problem));
    }

    /** The chain of what comes behind these policies. */
    private static String rest(Direction direction) {
        return direction.field + " behind " + ADMIN;
    }

    /**
     * Adds the policies that come first.
     *
     * @return the chain that what comes next belongs to
     */
    String addFirst(StageDraft stage) {
        add(stage, stage.direction.field, policies);
        Effect pass = new Effect.Goto(rest(stage.direction));
        boolean passes =
                policies.stream()
                        .flatMap(
                                policy ->
                                        policy
                                                .rules
                                                .getOrDefault(stage.direction, List.of())
                                                .stream())
                        .anyMatch(rule -> rule.effect().equals(pass));
        if (!passes) {
            return stage.direction.field;
        }
        stage.add(stage.general("what no " + ADMIN + " decides", Condition.ALWAYS, pass, "pass"));
        return rest(stage.direction);
    }

    /** Adds the policy that comes last, to a chain that decides. */
    void addLast(StageDraft stage, String chain) {
        add(stage, chain, baselines);
        if (!chain.equals(stage.direction.field)) {
            stage.add(chain, List.of(stage.end()));
        }
    }

    private static void add(StageDraft stage, String chain, List<Admin> policies) {
        for (Admin each : policies) {
            List<PolicyRule> rules = each.rules.getOrDefault(stage.direction, List.of());
            if (!rules.isEmpty()) {
                String own = each.chain(stage.direction);
                stage.add(
                        chain,
                        List.of(
                                StageDraft.rule(
                                        each.manifest.at(),
                                        own,
                                        each.manifest.words() + " selects the pod",
                                        Peers.subject(each.subject, stage.direction),
                                        new Effect.Jump(own),
                                        "select")));
                stage.add(own, rules);
            }
        }
    }

    /** Makes protocols that these policies do not define depend, for the pods that they select. */
    void addUnclear(StageDraft stage, String chain, Condition unknown) {
        for (List<Admin> each : List.of(policies, baselines)) {
            for (Admin policy : each) {
                if (!policy.rules.getOrDefault(stage.direction, List.of()).isEmpty()) {
                    stage.addUnclear(
                            chain,
                            policy.manifest,
                            Condition.all(Peers.subject(policy.subject, stage.direction), unknown));
                }
            }
        }
    }
}
