package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Pods, blocks and entities as Cilium's rules name them. */
final class CiliumEnds {
    private static final String NAMESPACE = "io.kubernetes.pod.namespace";
    private static final String NAMESPACE_LABELS = "io.cilium.k8s.namespace.labels.";
    private static final String ACCOUNT = "io.cilium.k8s.policy.serviceaccount";
    private static final Set<String> SOURCES = Set.of("k8s", "any");

    private final Cluster cluster;

    CiliumEnds(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * The pods of a selector.
     *
     * @param namespace of the policy; empty: it is of the whole cluster
     * @param bound whether the selector means pods of the namespace, whatever it asks for
     */
    List<Pod> pods(YamlNode node, String namespace, boolean bound) throws YamlException {
        List<LabelSelector.Requirement> asked = new ArrayList<>();
        boolean asksNamespace = false;
        boolean asksLabels = false;
        for (LabelSelector.Requirement each : LabelSelector.of(node).requirements()) {
            int colon = each.key().indexOf(':');
            String key = each.key().substring(colon + 1);
            boolean known = colon < 0 || SOURCES.contains(each.key().substring(0, colon));
            if (!known || key.startsWith("io.cilium.k8s.policy.") && !key.equals(ACCOUNT)) {
                throw node.at().refused(each.key(), "is a label that Sluice does not know of pods");
            }
            asksLabels |= key.startsWith(NAMESPACE_LABELS);
            asksNamespace |= key.equals(NAMESPACE) || key.startsWith(NAMESPACE_LABELS);
            asked.add(new LabelSelector.Requirement(key, each.operator(), each.values()));
        }
        LabelSelector selector = new LabelSelector(node.at(), asked);
        boolean inNamespace = !namespace.isEmpty() && (bound || !asksNamespace);
        List<Pod> pods = new ArrayList<>();
        for (Pod pod : cluster.pods()) {
            boolean there = !inNamespace || pod.namespace().equals(namespace);
            if (there && selector.matches(labels(pod, asksLabels, node))) {
                pods.add(pod);
            }
        }
        return pods;
    }

    private Map<String, String> labels(Pod pod, boolean ofNamespace, YamlNode asking)
            throws YamlException {
        Map<String, String> labels = new HashMap<>(pod.labels());
        labels.put(NAMESPACE, pod.namespace());
        labels.put(ACCOUNT, pod.serviceAccount());
        if (ofNamespace) {
            cluster.namespaceLabels(pod.namespace(), asking.at())
                    .forEach((key, value) -> labels.put(NAMESPACE_LABELS + key, value));
        }
        return labels;
    }

    /** The peers of CIDR fields. */
    Peers blocks(List<YamlNode> blocks, List<YamlNode> sets) throws YamlException {
        AddressSet all = AddressSet.NONE;
        for (YamlNode block : blocks) {
            all = all.or(AddressSet.addressOrBlock(block));
        }
        for (YamlNode node : sets) {
            YamlFields set = YamlFields.of(node);
            all = all.or(AddressSet.blockWithout(set));
            set.requireNoMore("a CIDR set");
        }
        return cluster.blockPeers(all);
    }

    /** The condition that the other end is an entity. */
    Condition entity(YamlNode node, Direction direction) throws YamlException {
        AddressSet pods = Peers.addresses(cluster.pods());
        AddressSet nodes = cluster.allNodeAddresses();
        return switch (node.string()) {
            case "all" -> Condition.ALWAYS;
            case "none" -> Condition.NEVER;
            case "cluster" -> any(direction.peer(pods.or(nodes)), "kube-apiserver");
            case "host" -> Exemptions.betweenPodAndHost(cluster, direction);
            case "remote-node" -> remote(direction, nodes);
            case "world" -> direction.peer(AddressSet.ALL.minus(pods).minus(nodes));
            case "world-ipv4" -> direction.peer(AddressSet.ALL.onlyV4().minus(pods).minus(nodes));
            case "world-ipv6" -> direction.peer(AddressSet.ALL.onlyV6().minus(pods).minus(nodes));
            case "kube-apiserver", "health", "init", "unmanaged", "ingress" ->
                    any(Condition.NEVER, node.string());
            default ->
                    throw node.at()
                            .refused(
                                    node.string(),
                                    "is no entity of Cilium; write one of all, cluster, host, remote-node, world");
        };
    }

    /** A condition, or that the other end is an entity whose addresses no object tells. */
    private static Condition any(Condition known, String entity) {
        return Condition.any(known, new Condition.Unknown("the addresses of the entity " + entity));
    }

    private Condition remote(Direction direction, AddressSet nodes) {
        List<Condition> all = new ArrayList<>();
        cluster.podsByHost()
                .forEach(
                        (host, pods) -> {
                            AddressSet others = nodes.minus(host);
                            if (!others.isEmpty()) {
                                all.add(
                                        all(
                                                direction.peer(others),
                                                Peers.subject(pods, direction)));
                            }
                        });
        return Condition.any(all.toArray(Condition[]::new));
    }
}
