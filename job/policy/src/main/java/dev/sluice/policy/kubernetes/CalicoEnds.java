package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Pods and network sets as Calico's selectors see them, and conditions of a rule's two ends. */
final class CalicoEnds {
    private static final String ORCHESTRATOR = "projectcalico.org/orchestrator";
    private static final String NAME = "projectcalico.org/name";
    private static final String ACCOUNT = "projectcalico.org/serviceaccount";

    private final Cluster cluster;
    private final List<NetworkSet> sets = new ArrayList<>();

    /** Named addresses; without a namespace it is of the whole cluster. */
    private record NetworkSet(String namespace, Map<String, String> labels, AddressSet nets) {}

    CalicoEnds(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Reads a NetworkSet or GlobalNetworkSet. */
    void readSet(Manifest manifest, boolean isGlobal) throws YamlException {
        YamlFields fields = manifest.fields();
        YamlFields spec = fields.fields("spec");
        fields.requireNoMore(manifest.kind());
        AddressSet nets = AddressSet.NONE;
        if (spec != null) {
            nets = nets(spec.list("nets"));
            spec.requireNoMore(manifest.kind() + " spec");
        }
        String namespace = isGlobal ? "" : manifest.namespaceOrDefault();
        sets.add(new NetworkSet(namespace, manifest.labels(), nets));
    }

    private static AddressSet nets(List<YamlNode> nodes) throws YamlException {
        AddressSet nets = AddressSet.NONE;
        for (YamlNode each : nodes) {
            nets = nets.or(AddressSet.addressOrBlock(each));
        }
        return nets;
    }

    private static Map<String, String> labels(Map<String, String> own, String namespace) {
        Map<String, String> labels = new HashMap<>(own);
        if (!namespace.isEmpty()) {
            labels.put(CalicoSelector.NAMESPACE, namespace);
        }
        return labels;
    }

    private static Map<String, String> labels(Pod pod) {
        Map<String, String> labels = labels(pod.labels(), pod.namespace());
        labels.put(ORCHESTRATOR, "k8s");
        labels.put(ACCOUNT, pod.serviceAccount());
        return labels;
    }

    private Predicate<String> namespaces(YamlNode selector) throws YamlException {
        Predicate<Map<String, String>> asked = CalicoSelector.of(selector);
        Set<String> names = new HashSet<>();
        cluster.pods().forEach(pod -> names.add(pod.namespace()));
        sets.forEach(set -> names.add(set.namespace));
        Map<String, Boolean> known = new HashMap<>();
        for (String name : names) {
            Map<String, String> labels = new HashMap<>();
            if (!name.isEmpty()) {
                labels.putAll(cluster.namespaceLabels(name, selector.at()));
                labels.put(NAME, name);
                labels.put(CalicoSelector.NAMESPACE, name);
            }
            // all() means all namespaces, and not what is in none.
            boolean isAll = selector.string().strip().equals("all()");
            known.put(name, asked.test(labels) && !(isAll && name.isEmpty()));
        }
        return namespace -> known.getOrDefault(namespace, false);
    }

    /** The pods that a policy is for. */
    List<Pod> subject(@Nullable YamlNode selector, Predicate<String> namespaces)
            throws YamlException {
        Predicate<Map<String, String>> asked =
                selector == null ? labels -> true : CalicoSelector.of(selector);
        return cluster.pods().stream()
                .filter(pod -> namespaces.test(pod.namespace()))
                .filter(pod -> asked.test(labels(pod)))
                .toList();
    }

    /** The namespaces of a policy's own selector; null: all. */
    Predicate<String> subjectNamespaces(@Nullable YamlNode selector) throws YamlException {
        return selector == null ? namespace -> true : namespaces(selector);
    }

    /** The addresses that a selector means among some namespaces. */
    private AddressSet addresses(
            Predicate<Map<String, String>> asked, Predicate<String> namespaces) {
        List<AddressSet> all = new ArrayList<>();
        for (Pod pod : cluster.pods()) {
            if (namespaces.test(pod.namespace()) && asked.test(labels(pod))) {
                all.add(pod.addresses());
            }
        }
        for (NetworkSet set : sets) {
            if (namespaces.test(set.namespace) && asked.test(labels(set.labels, set.namespace))) {
                all.add(set.nets);
            }
        }
        return AddressSet.of(all);
    }

    /**
     * The condition of an end of a rule.
     *
     * @param but takes the conditions of packets that the rule does not mean: their negation would
     *     be many alternatives
     * @param namespace of the rule's policy; empty: of the whole cluster
     * @param protocol of the rule; null: it has none with ports
     */
    Condition condition(
            YamlFields end,
            boolean isSource,
            String namespace,
            @Nullable Protocol protocol,
            List<Condition> but)
            throws YamlException {
        List<Condition> all = new ArrayList<>();
        List<YamlNode> inNets = end.list("nets");
        if (!inNets.isEmpty()) {
            all.add(nets(inNets).condition(isSource));
        }
        List<YamlNode> notNets = end.list("notNets");
        if (!notNets.isEmpty()) {
            AddressSet nets = nets(notNets);
            all.add(nets.versions()); // Calico leaves the rule out for the other version
            but.add(nets.condition(isSource));
        }
        YamlNode selector = end.take("selector");
        YamlNode inNamespaces = end.take("namespaceSelector");
        Set<String> accounts = accounts(end.fields("serviceAccounts"));
        if (selector != null && !selector.string().isBlank()
                || inNamespaces != null
                || !accounts.isEmpty()) {
            Predicate<String> namespaces =
                    inNamespaces != null
                            ? namespaces(inNamespaces)
                            : name -> namespace.isEmpty() || name.equals(namespace);
            Predicate<Map<String, String>> asked =
                    selector == null ? labels -> true : CalicoSelector.of(selector);
            if (!accounts.isEmpty()) {
                asked = asked.and(labels -> accounts.contains(labels.get(ACCOUNT)));
            }
            all.add(addresses(asked, namespaces).condition(isSource));
        }
        YamlNode notSelector = end.take("notSelector");
        if (notSelector != null && !notSelector.string().isBlank()) {
            but.add(addresses(CalicoSelector.of(notSelector), name -> true).condition(isSource));
        }
        List<YamlNode> ports = end.list("ports");
        if (!ports.isEmpty()) {
            all.add(ports(ports, isSource, protocol));
        }
        List<YamlNode> notPorts = end.list("notPorts");
        if (!notPorts.isEmpty()) {
            but.add(ports(notPorts, isSource, protocol));
        }
        end.requireNoMore("an end of a rule");
        return all(all.toArray(Condition[]::new));
    }

    /** The names of the service accounts that an end asks for; none: it asks for none. */
    private static Set<String> accounts(@Nullable YamlFields fields) throws YamlException {
        Set<String> names = new HashSet<>();
        if (fields != null) {
            for (YamlNode name : fields.list("names")) {
                names.add(name.string());
            }
            fields.requireNoMore("serviceAccounts");
        }
        return names;
    }

    private Condition ports(List<YamlNode> nodes, boolean isSource, @Nullable Protocol protocol)
            throws YamlException {
        ValueSet numbers = new ValueSet(List.of());
        List<Condition> all = new ArrayList<>();
        for (YamlNode node : nodes) {
            if (protocol == null) {
                throw node.at()
                        .refused(
                                node.words(),
                                "needs a protocol with ports; write protocol: TCP, UDP or SCTP");
            }
            Integer number = YamlFields.number(node, 0, Protocol.MOST_PORT);
            String words = number == null ? node.string() : "" + number;
            if (words.matches("[0-9]{1,5}(:[0-9]{1,5})?")) {
                String[] ends = words.split(":");
                int low = Integer.parseInt(ends[0]);
                int high = Integer.parseInt(ends[ends.length - 1]);
                if (low > high || high > Protocol.MOST_PORT) {
                    throw node.at()
                            .refused(words, "is no range of ports; write the lower one first");
                }
                numbers = numbers.or(ValueSet.of(low, high));
            } else if (isSource) {
                throw node.at()
                        .refused(
                                words,
                                "is a name, which source ports do not have here; write a number");
            } else {
                all.add(PortList.owners(NetworkPolicies.name(node), protocol, cluster.pods()));
            }
        }
        if (!numbers.ranges().isEmpty()) {
            all.add(new Condition.In(isSource ? Field.SRC_PORT : Field.DST_PORT, numbers));
        }
        return Condition.any(all.toArray(Condition[]::new));
    }
}
