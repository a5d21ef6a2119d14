package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * NetworkPolicies: a pod that one selects accepts what some rule of some policy allows, and nothing
 * else.
 */
final class NetworkPolicies {
    private static final String GROUP = "networking.k8s.io";
    private static final String KIND = "NetworkPolicy";

    private final Cluster cluster;
    private final Skips skips;
    private final List<Isolation> all = new ArrayList<>();

    /** Policy in one direction, of these or of a network plugin. */
    record Isolation(
            Manifest manifest,
            Direction direction,
            String chain,
            List<Pod> subject,
            List<PolicyRule> rules) {
        /** A policy without rules yet. */
        static Isolation of(Manifest manifest, Direction direction, List<Pod> subject) {
            String chain = manifest.policyPath() + " " + direction.field;
            return new Isolation(manifest, direction, chain, subject, new ArrayList<>());
        }

        /** The call of its chain for the pods that it selects. */
        PolicyRule select() {
            return rule(subject, new Effect.Jump(chain), "select", " selects pods for ");
        }

        /**
         * The denial of what none of its rules decides; none where earlier ones deny all of it.
         *
         * @param decided takes the pods; for those that it has an earlier policy decides
         */
        List<PolicyRule> deny(Set<Pod> decided) {
            List<Pod> own = Peers.undecided(subject, decided);
            return own.isEmpty()
                    ? List.of()
                    : List.of(rule(own, StageDraft.DENY, "deny", " allows nothing else in "));
        }

        private PolicyRule rule(List<Pod> pods, Effect effect, String action, String does) {
            return StageDraft.rule(
                    manifest.at(),
                    chain,
                    manifest.words() + does + direction.field,
                    Peers.subject(pods, direction),
                    effect,
                    action);
        }
    }

    NetworkPolicies(Cluster cluster, Skips skips) {
        this.cluster = cluster;
        this.skips = skips;
    }

    /** Reads an object; false: it is no such policy. */
    boolean read(Manifest manifest) throws YamlException {
        if (!manifest.group().equals(GROUP) || !manifest.kind().equals(KIND)) {
            return false;
        }
        manifest.requireVersion("v1");
        YamlFields fields = manifest.fields();
        fields.take("status");
        YamlFields spec = YamlFields.of(fields.require("spec"));
        fields.requireNoMore(KIND);
        YamlNode selector = spec.take("podSelector");
        List<Pod> subject =
                cluster.inNamespace(
                        manifest.namespaceOrDefault(),
                        selector == null
                                ? new LabelSelector(spec.at(), List.of())
                                : LabelSelector.of(selector));
        Map<Direction, List<YamlNode>> rules = new EnumMap<>(Direction.class);
        for (Direction direction : Direction.values()) {
            rules.put(direction, spec.list(direction.field));
        }
        List<Direction> types = types(spec, rules);
        spec.requireNoMore(KIND + " spec");
        for (Direction direction : types) {
            Isolation isolation = Isolation.of(manifest, direction, subject);
            for (YamlNode node : rules.getOrDefault(direction, List.of())) {
                YamlFields rule = YamlFields.of(node);
                isolation.rules.add(
                        StageDraft.worded(
                                rule,
                                isolation.chain,
                                condition(isolation, rule),
                                StageDraft.PERMIT,
                                "allow"));
            }
            all.add(isolation);
        }
        return true;
    }

    private static List<Direction> types(YamlFields spec, Map<Direction, List<YamlNode>> rules)
            throws YamlException {
        List<Direction> types = new ArrayList<>();
        for (YamlNode type : spec.list("policyTypes")) {
            types.add(direction(type));
        }
        if (types.isEmpty()) {
            types.add(Direction.INGRESS);
            if (!rules.getOrDefault(Direction.EGRESS, List.of()).isEmpty()) {
                types.add(Direction.EGRESS);
            }
        }
        return types.stream().distinct().toList();
    }

    /** The direction of a type of policy. */
    static Direction direction(YamlNode type) throws YamlException {
        return switch (type.string()) {
            case "Ingress" -> Direction.INGRESS;
            case "Egress" -> Direction.EGRESS;
            default ->
                    throw type.at()
                            .refused(
                                    type.string(), "is no type of policy; write Ingress or Egress");
        };
    }

    private Condition condition(Isolation of, YamlFields rule) throws YamlException {
        Condition within = Condition.ALWAYS;
        try {
            List<YamlNode> ends = rule.list(of.direction.peers);
            List<YamlNode> ports = rule.list("ports");
            rule.requireNoMore("a rule of " + of.direction.field);
            Peers peers = ends.isEmpty() ? Peers.ANY : Peers.NONE;
            for (YamlNode end : ends) {
                peers = peers.or(peer(of, YamlFields.of(end)));
            }
            within = peers.condition(of.direction);
            if (ports.isEmpty()) {
                return within;
            }
            PortList list = new PortList();
            for (YamlNode port : ports) {
                read(YamlFields.of(port), list);
            }
            return list.condition(peers, of.subject, cluster, of.direction);
        } catch (YamlException e) {
            return all(within, skips.rule(e));
        }
    }

    private Peers peer(Isolation of, YamlFields peer) throws YamlException {
        YamlNode pods = peer.take("podSelector");
        YamlNode namespaces = peer.take("namespaceSelector");
        YamlFields block = peer.fields("ipBlock");
        peer.requireNoMore("a peer");
        if (block != null && (pods != null || namespaces != null)) {
            throw peer.at().refused(peer.words(), "has ipBlock beside selectors; write two peers");
        }
        if (block != null) {
            AddressSet addresses = AddressSet.blockWithout(block);
            block.requireNoMore("ipBlock");
            return cluster.blockPeers(addresses);
        }
        LabelSelector ofPods = pods == null ? null : LabelSelector.of(pods);
        if (namespaces != null) {
            return Peers.ofPods(cluster.inNamespaces(LabelSelector.of(namespaces), ofPods));
        }
        if (ofPods == null) {
            throw peer.at()
                    .refused(
                            peer.words(),
                            "names no peer; write podSelector, namespaceSelector or ipBlock");
        }
        return Peers.ofPods(cluster.inNamespace(of.manifest.namespaceOrDefault(), ofPods));
    }

    private static void read(YamlFields fields, PortList list) throws YamlException {
        Protocol protocol = Protocol.of(fields.take("protocol"));
        YamlNode port = fields.take("port");
        YamlNode end = fields.take("endPort");
        fields.requireNoMore("a port");
        Integer low = port == null ? null : YamlFields.number(port, 1, Protocol.MOST_PORT);
        if (end != null && low == null) {
            throw end.at().refused(end.words(), "needs a port in numbers before it");
        }
        if (port == null) {
            list.add(protocol, 0, Protocol.MOST_PORT);
        } else if (low == null) {
            list.add(name(port), protocol);
        } else {
            list.add(protocol, low, end == null ? low : last(end, low));
        }
    }

    private static int last(YamlNode end, int low) throws YamlException {
        Integer high = YamlFields.number(end, low, Protocol.MOST_PORT);
        if (high == null) {
            throw end.at().refused(end.words(), "is no number; write the last port");
        }
        return high;
    }

    /** The name of a port, which has a letter. */
    static String name(YamlNode port) throws YamlException {
        String name = port.string();
        if (!name.matches("[a-z0-9-]*[a-z][a-z0-9-]*")) {
            throw port.at()
                    .refused(
                            name,
                            "is neither a number nor a port's name; write a number without quotes");
        }
        return name;
    }

    /** The policies of a direction, in the order of their files. */
    List<Isolation> of(Direction direction) {
        return all.stream().filter(each -> each.direction == direction).toList();
    }

    /** Adds the policies to a chain: all that allows before all that denies. */
    void addTo(StageDraft stage, String chain) {
        List<Isolation> mine = of(stage.direction);
        for (Isolation each : mine) {
            stage.add(chain, List.of(each.select()));
            stage.add(each.chain, each.rules);
        }
        Set<Pod> decided = new HashSet<>();
        for (Isolation each : mine) {
            stage.add(chain, each.deny(decided));
        }
    }

    /** Makes protocols that these policies do not define depend, for the pods that they select. */
    void addUnclear(StageDraft stage, String chain, Condition unknown) {
        stage.add(chain, List.of());
        Set<Pod> decided = new HashSet<>();
        for (Isolation each : of(stage.direction)) {
            List<Pod> pods = Peers.undecided(each.subject, decided);
            if (!pods.isEmpty()) {
                Condition subject = Peers.subject(pods, each.direction);
                stage.addUnclear(chain, each.manifest, all(subject, unknown));
            }
        }
    }
}
