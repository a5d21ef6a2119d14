package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlText;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A reading of a cluster's objects: first pods, namespaces and nodes, then what selects them. */
final class ClusterReading {
    /** Name of the policy of both directions, for which nobody asks by name. */
    private static final String UNNAMED = "";

    /** Keys whose lists and mappings are long and tell nothing. */
    private static final Set<String> DROPPED =
            Set.of("managedFields", "containerStatuses", "initContainerStatuses");

    /** Groups of objects that decide about no packet. */
    private static final Set<String> OTHER_GROUPS =
            Set.of(
                    "",
                    "apps",
                    "batch",
                    "policy",
                    "autoscaling",
                    "rbac.authorization.k8s.io",
                    "storage.k8s.io",
                    "scheduling.k8s.io",
                    "coordination.k8s.io",
                    "discovery.k8s.io",
                    "events.k8s.io",
                    "apiextensions.k8s.io",
                    "apiregistration.k8s.io",
                    "admissionregistration.k8s.io",
                    "certificates.k8s.io",
                    "node.k8s.io",
                    "metrics.k8s.io",
                    "flowcontrol.apiserver.k8s.io",
                    "gateway.networking.k8s.io");

    /** Objects of the policies' own group that decide about no packet. */
    private static final Set<String> OTHER_KINDS =
            Set.of("Ingress", "IngressClass", "IPAddress", "ServiceCIDR");

    /** Label of the pods that judge packets under Calico, on each node. */
    private static final String CALICO_AGENT = "calico-node";

    private static final String CILIUM_AGENT = "cilium";

    private static final Condition IP =
            any(is(Field.IP_VERSION, Field.VERSION_4), is(Field.IP_VERSION, Field.VERSION_6));

    private final RuleReading in;
    private final String file;
    private final Cluster cluster = new Cluster();
    private final Skips skips;
    private final Map<String, Manifest> known = new HashMap<>();
    private final List<Manifest> others = new ArrayList<>();
    private final Map<String, Integer> ignored = new TreeMap<>();

    ClusterReading(RuleReading in, boolean skipUnsupported) {
        this.in = in;
        file = in.file();
        skips = new Skips(in, cluster, skipUnsupported);
    }

    /** Reads all files; defects are reported to the reading. */
    Map<String, Policy> policies() throws IOException, YamlException {
        do {
            readFile();
        } while (in.nextFile());
        if (in.hasDefects()) {
            return Map.of();
        }
        cluster.requireOwnAddresses();
        PolicySet policies = plugin();
        for (Manifest each : others) {
            try {
                read(each, policies);
            } catch (YamlException e) {
                skips.policy(each, e);
            }
        }
        policies.requireOrder();
        if (in.hasDefects()) {
            return Map.of();
        }
        warn();
        Map<String, Policy> named = new LinkedHashMap<>();
        List<Stage> stages = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            StageDraft draft = new StageDraft(direction, file);
            policies.addTo(draft);
            Stage stage = draft.stage();
            stages.add(stage);
            named.put(direction.field, new Policy(direction.field, IP, List.of(stage), null));
        }
        named.put(UNNAMED, new Policy("cluster", IP, stages, null));
        return named;
    }

    /** The policies of the network plugin whose objects the files hold. */
    private PolicySet plugin() throws YamlException {
        Manifest calico = null;
        Manifest cilium = null;
        for (Manifest each : others) {
            calico = CalicoPolicies.GROUPS.contains(each.group()) ? each : calico;
            cilium = each.group().equals(CiliumPolicies.GROUP) ? each : cilium;
        }
        if (calico != null && cilium != null) {
            throw cilium.at()
                    .refused(
                            cilium.words(),
                            "is of Cilium, and %s (%s:%d) of Calico; leave out what the cluster does not run"
                                    .formatted(
                                            calico.words(),
                                            calico.at().file(),
                                            calico.at().line()));
        }
        String agents = calico == null && cilium == null ? agents() : "";
        return calico != null || agents.equals(CALICO_AGENT)
                ? new CalicoPolicies(cluster, skips)
                : cilium != null || agents.equals(CILIUM_AGENT)
                        ? new CiliumPolicies(cluster, skips)
                        : new StandardPolicies(cluster, skips);
    }

    /**
     * The label of the pods that are a network plugin's agents; empty: no plugin alone has some.
     */
    private String agents() {
        Map<String, Pod> agents = new HashMap<>();
        for (Pod pod : cluster.pods()) {
            String app = pod.labels().getOrDefault("k8s-app", "");
            if (pod.hostNetwork() && (app.equals(CALICO_AGENT) || app.equals(CILIUM_AGENT))) {
                agents.putIfAbsent(app, pod);
            }
        }
        boolean standard =
                others.stream().anyMatch(each -> each.group().equals(AdminPolicies.GROUP));
        if (standard || agents.size() != 1) {
            return "";
        }
        Pod one = agents.values().iterator().next();
        String app = agents.keySet().iterator().next();
        in.warn(
                one.at().file(),
                one.at().line(),
                "%s is an agent of %s, which decides what Kubernetes leaves open"
                        .formatted(one.path(), app.equals(CALICO_AGENT) ? "Calico" : "Cilium"));
        return app;
    }

    private void report(YamlException e) {
        in.defect(e.file(), e.line(), e.defect());
    }

    private void readFile() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line = in.next(); line != null; line = in.next()) {
            text.append(line).append('\n');
        }
        try {
            for (YamlNode document : YamlText.read(in.file(), text.toString(), DROPPED)) {
                for (Manifest each : Manifest.of(document)) {
                    take(each);
                }
            }
        } catch (YamlException e) {
            report(e);
        }
    }

    private void take(Manifest manifest) throws YamlException {
        String name = manifest.group() + " " + manifest.words();
        Manifest other = manifest.name().isEmpty() ? null : known.put(name, manifest);
        if (other != null) {
            throw manifest.at()
                    .refused(
                            manifest.words(),
                            "is there twice, also in %s:%d; remove one"
                                    .formatted(other.at().file(), other.at().line()));
        }
        if (!cluster.take(manifest)) {
            others.add(manifest);
        }
    }

    private void read(Manifest manifest, PolicySet policies) throws YamlException {
        if (policies.read(manifest)) {
            return;
        }
        if (OTHER_GROUPS.contains(manifest.group())
                || manifest.group().equals("networking.k8s.io")
                        && OTHER_KINDS.contains(manifest.kind())) {
            ignored.merge(manifest.kind(), 1, Integer::sum);
        } else {
            throw manifest.at()
                    .refused(
                            manifest.kind(),
                            "is a kind of %s, which may be a policy that Sluice does not read; leave it out if it decides about no packet"
                                    .formatted(manifest.group()));
        }
    }

    private void warn() {
        ignored.forEach(
                (kind, count) ->
                        in.warn(
                                file,
                                1,
                                "%s of kind %s decide about no packet"
                                        .formatted(Amount.of(count, "object"), kind)));
        if (cluster.pods().isEmpty()) {
            in.warn(
                    file,
                    1,
                    "holds no pod with an address, so that no policy has a packet; add the output of kubectl get pods -A -o yaml");
        }
    }
}
