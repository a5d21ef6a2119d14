package dev.sluice.policy.kubernetes;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pods, namespaces, nodes and services, which policies select. */
final class Cluster {
    /** Label that Kubernetes gives each namespace: its name. */
    private static final String NAME_LABEL = "kubernetes.io/metadata.name";

    private final List<Pod> pods = new ArrayList<>();
    private final Map<String, Map<String, String>> namespaces = new HashMap<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Service> services = new ArrayList<>();

    private boolean blocksAreOutside;

    /** Node of the cluster. */
    record Node(String name, Map<String, String> labels, AddressSet addresses) {}

    /**
     * Service.
     *
     * @param addresses those that stand for its pods
     * @param nodePorts packets that stand for them at each node
     */
    record Service(Manifest manifest, AddressSet addresses, Condition nodePorts) {
        /** Packets to the service, of which no header tells the pod. */
        Condition condition(AddressSet nodes) {
            List<Condition> all = new ArrayList<>();
            if (!addresses.isEmpty()) {
                all.add(addresses.condition(false));
            }
            if (!nodes.isEmpty() && !nodePorts.equals(Condition.NEVER)) {
                all.add(Condition.all(nodes.condition(false), nodePorts));
            }
            return Condition.any(all.toArray(Condition[]::new));
        }
    }

    /**
     * Takes an object.
     *
     * @return whether it is part of a cluster
     */
    boolean take(Manifest manifest) throws YamlException {
        switch (manifest.group().isEmpty() ? manifest.kind() : "") {
            case "Pod" -> {
                Pod pod = Pod.of(manifest);
                if (pod != null) {
                    pods.add(pod);
                }
            }
            case "Namespace" -> {
                Map<String, String> labels = manifest.labels();
                labels.putIfAbsent(NAME_LABEL, manifest.name());
                namespaces.put(manifest.name(), labels);
            }
            case "Node" -> nodes.put(manifest.name(), node(manifest));
            case "Service" -> {
                YamlFields spec = manifest.fields().fields("spec");
                if (spec != null) {
                    services.add(
                            new Service(
                                    manifest, serviceAddresses(manifest, spec), nodePorts(spec)));
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Node node(Manifest manifest) throws YamlException {
        AddressSet addresses = AddressSet.NONE;
        YamlFields status = manifest.fields().fields("status");
        for (YamlNode each : status == null ? List.<YamlNode>of() : status.list("addresses")) {
            YamlFields address = YamlFields.of(each);
            String type = address.requireString("type");
            if (type.equals("InternalIP") || type.equals("ExternalIP")) {
                addresses = addresses.or(AddressSet.address(address.require("address")));
            }
        }
        return new Node(manifest.name(), manifest.labels(), addresses);
    }

    private static Condition nodePorts(YamlFields spec) throws YamlException {
        List<Condition> all = new ArrayList<>();
        for (YamlNode each : spec.list("ports")) {
            YamlFields port = YamlFields.of(each);
            Integer number = port.number("nodePort", 0, Protocol.MOST_PORT);
            if (number != null && number > 0) {
                all.add(Protocol.of(port.take("protocol")).to(ValueSet.of(number)));
            }
        }
        return Condition.any(all.toArray(Condition[]::new));
    }

    private static AddressSet serviceAddresses(Manifest manifest, YamlFields spec)
            throws YamlException {
        List<YamlNode> nodes = new ArrayList<>(spec.list("clusterIPs"));
        nodes.add(spec.take("clusterIP"));
        nodes.addAll(spec.list("externalIPs"));
        YamlFields status = manifest.fields().fields("status");
        YamlFields balancer = status == null ? null : status.fields("loadBalancer");
        for (YamlNode each : balancer == null ? List.<YamlNode>of() : balancer.list("ingress")) {
            nodes.add(YamlFields.of(each).take("ip"));
        }
        AddressSet addresses = AddressSet.NONE;
        for (YamlNode each : nodes) {
            if (each != null && !each.string().isEmpty() && !each.string().equals("None")) {
                addresses = addresses.or(AddressSet.address(each));
            }
        }
        return addresses;
    }

    /** Refuses pods that share an address, of which a packet does not tell one. */
    void requireOwnAddresses() throws YamlException {
        Map<AddressSet, Pod> owners = new HashMap<>();
        for (Pod pod : pods) {
            for (AddressSet address : pod.hostNetwork() ? List.<AddressSet>of() : pod.each()) {
                Pod other = owners.put(address, pod);
                if (other != null) {
                    throw pod.at()
                            .refused(
                                    pod.path(),
                                    "has an address of pod %s (%s:%d); dump the pods again"
                                            .formatted(
                                                    other.path(),
                                                    other.at().file(),
                                                    other.at().line()));
                }
            }
        }
    }

    List<Pod> pods() {
        return pods;
    }

    List<Service> services() {
        return services;
    }

    /** The addresses of the nodes that a selector matches. */
    AddressSet nodeAddresses(LabelSelector selector) throws YamlException {
        if (nodes.isEmpty()) {
            throw selector.at()
                    .refused("nodes", "are missing; add the output of kubectl get nodes -o yaml");
        }
        return AddressSet.of(
                nodes.values().stream()
                        .filter(node -> selector.matches(node.labels))
                        .map(Node::addresses)
                        .toList());
    }

    /** The pods of a namespace that a selector of pods matches. */
    List<Pod> inNamespace(String namespace, LabelSelector selector) {
        return pods.stream()
                .filter(pod -> pod.namespace().equals(namespace))
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
    }

    /**
     * The pods of the namespaces that a selector matches.
     *
     * @param selector of pods; null: all
     * @throws YamlException if the selector asks for labels of a namespace that is missing
     */
    List<Pod> inNamespaces(LabelSelector ofNamespaces, @Nullable LabelSelector selector)
            throws YamlException {
        List<Pod> selected = new ArrayList<>();
        for (Pod pod : pods) {
            if (matches(pod, ofNamespaces)
                    && (selector == null || selector.matches(pod.labels()))) {
                selected.add(pod);
            }
        }
        return selected;
    }

    private boolean matches(Pod pod, LabelSelector asked) throws YamlException {
        boolean needsLabels =
                asked.requirements().stream().anyMatch(each -> !each.key().equals(NAME_LABEL));
        return asked.matches(
                needsLabels
                        ? namespaceLabels(pod.namespace(), asked.at())
                        : Map.of(NAME_LABEL, pod.namespace()));
    }

    /** The labels of a namespace, for which something at a place asks. */
    Map<String, String> namespaceLabels(String namespace, YamlPosition at) throws YamlException {
        Map<String, String> labels = namespaces.get(namespace);
        if (labels == null) {
            throw at.refused(
                    namespace,
                    "is a namespace whose labels are missing; add the output of kubectl get namespaces -o yaml");
        }
        return labels;
    }

    /** Leaves pods in the network of their node out, which a network plugin takes for the node. */
    void removeHostNetwork() {
        pods.removeIf(Pod::hostNetwork);
    }

    /** Takes address blocks for what is neither pod nor node, as a network plugin does. */
    void takeBlocksForOutside() {
        blocksAreOutside = true;
    }

    /** The ends that an address block means. */
    Peers blockPeers(AddressSet blocks) {
        if (!blocksAreOutside) {
            return Peers.ofBlocks(blocks);
        }
        AddressSet outside = blocks.minus(Peers.addresses(pods));
        AddressSet nodes = allNodeAddresses();
        return new Peers(false, Set.of(), outside.minus(nodes), outside.and(nodes));
    }

    /** The addresses of all nodes that an object names. */
    AddressSet allNodeAddresses() {
        List<AddressSet> all = new ArrayList<>();
        nodes.values().forEach(node -> all.add(node.addresses));
        pods.forEach(pod -> all.add(pod.hosts()));
        return AddressSet.of(all);
    }

    /** The addresses of the node that a pod runs on. */
    AddressSet hostsOf(Pod pod) {
        Node node = nodes.get(pod.node());
        return node == null ? pod.hosts() : pod.hosts().or(node.addresses);
    }

    /** The pods of each node, by the node's addresses. */
    Map<AddressSet, List<Pod>> podsByHost() {
        Map<AddressSet, List<Pod>> byHost = new LinkedHashMap<>();
        for (Pod pod : pods) {
            AddressSet hosts = hostsOf(pod);
            if (!hosts.isEmpty() && !pod.hostNetwork()) {
                byHost.computeIfAbsent(hosts, none -> new ArrayList<>()).add(pod);
            }
        }
        return byHost;
    }
}
