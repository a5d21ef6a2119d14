package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters with policies that Sluice does not understand, read with {@code --skip-unsupported}. */
final class SkippedPoliciesTest {
    private static final String POD =
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: %2$s, namespace: %1$s, labels: {pod: %2$s}}, spec: {}, status: {podIP: %3$s}}\n";
    private static final String PODS =
            POD.formatted("sx", "a", "10.0.0.1")
                    + POD.formatted("sx", "b", "10.0.0.2")
                    + POD.formatted("sy", "c", "10.0.1.1");
    private static final Map<String, String> ADDRESSES =
            Map.of("a", "10.0.0.1", "b", "10.0.0.2", "c", "10.0.1.1", "out", "203.0.113.7");

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // a rule: what other rules allow stays, the pods of other policies, too
                "networking.k8s.io/v1 NetworkPolicy | podSelector: {matchLabels: {pod: a}}, ingress: [{from: [{podSelector: {}}]}, {mystery: 1}] | b>a PERMIT, c>a DEPENDS, out>a DEPENDS, c>b PERMIT, a>c PERMIT, a>a PERMIT",
                "networking.k8s.io/v1 NetworkPolicy | podSelector: {matchLabels: {pod: a}}, ingress: [{from: [{podSelector: {}}], ports: [{port: '80'}]}] | b>a DEPENDS, c>a DENY, out>a DENY",
                "policy.networking.k8s.io/v1alpha1 AdminNetworkPolicy | priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{domainNames: [a.example]}]}] | a>out DEPENDS, c>a DEPENDS, out>a PERMIT",
                "projectcalico.org/v3 NetworkPolicy | selector: pod == 'a', ingress: [{action: Deny, source: {selector: pod == 'b'}}, {action: Allow, http: {methods: [GET]}}] | b>a DENY, c>a DEPENDS, c>b PERMIT",
                "cilium.io/v2 CiliumNetworkPolicy | endpointSelector: {matchLabels: {pod: a}}, ingress: [{fromEndpoints: [{}]}, {fromNodes: [{}]}] | b>a PERMIT, c>a DEPENDS, c>b PERMIT",
                // a policy: all packets of the pods of its namespace
                "networking.k8s.io/v1 NetworkPolicy | podSelector: {matchLabels: {pod: a}}, mystery: 1 | b>a DEPENDS, c>b DEPENDS, b>out DEPENDS, c>out PERMIT, a>a PERMIT",
                "projectcalico.org/v3 NetworkPolicy | serviceAccountSelector: all(), ingress: [{action: Pass}] | b>a DEPENDS, c>b DEPENDS, b>out DEPENDS, c>out PERMIT",
                "cilium.io/v2 CiliumNetworkPolicy | endpointSelector: {matchLabels: {pod: a}}, mystery: 1 | b>a DEPENDS, c>b DEPENDS, c>out PERMIT",
                // an object of the whole cluster: all packets
                "crd.antrea.io/v1beta1 NetworkPolicy2 | mystery: 1 | a>c DEPENDS, c>out DEPENDS, a>a DEPENDS, out>out DEPENDS",
                "projectcalico.org/v3 GlobalNetworkPolicy | selector: all(), preDNAT: true, applyOnForward: true | c>out DEPENDS",
                "projectcalico.org/v3 HostEndpoint | node: a | out>out DEPENDS",
            })
    void packetsDependWhereTheSkippedPartMayDecide(String kind, String spec, String packets)
            throws IOException {
        String[] words = kind.split(" ");
        String namespace = words[0].startsWith("policy.") ? "" : ", namespace: sx";
        Path file = folder.resolve("cluster.yaml");
        Files.writeString(
                file,
                PODS
                        + "---\n{apiVersion: %s, kind: %s, metadata: {name: p%s}, spec: {%s}}\n"
                                .formatted(words[0], words[1], namespace, spec));
        assertThrows(SluiceException.class, () -> read(file, false, ConnectionState.NEW));
        PolicyFile read = read(file, true, ConnectionState.NEW);
        assertTrue(
                read.warnings().stream().anyMatch(each -> each.contains(":8: skipped: ")),
                () -> "" + read.warnings());
        for (String each : packets.split(", ")) {
            String[] packet = each.split("[> ]");
            assertEquals(packet[2], "" + outcome(read.flat(), packet[0], packet[1]), each);
        }
    }

    @Test
    void repliesPassWhereAPolicyOfPodsIsSkipped() throws IOException {
        Path file = folder.resolve("cluster.yaml");
        Files.writeString(
                file,
                PODS
                        + "---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p, namespace: sx}, spec: {mystery: 1}}\n");
        PolicyFile read = read(file, true, ConnectionState.ESTABLISHED);
        assertEquals(Outcome.PERMIT, outcome(read.flat(), "c", "a"));
    }

    private static Outcome outcome(FlatPolicy policy, String from, String to) {
        int[] header =
                AddressedPacket.header(
                        Objects.requireNonNull(ADDRESSES.get(from)),
                        6,
                        Objects.requireNonNull(ADDRESSES.get(to)),
                        40000,
                        80);
        return Objects.requireNonNull(policy.judge(header)).outcome();
    }

    private static PolicyFile read(Path file, boolean skips, ConnectionState state) {
        return PolicyFile.read(
                file, new PolicyOptions(null, new Assumptions(state, null, null), skips));
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "calico", "cilium"})
    void skippedPartMayMeanNothingOrLackOrBeAsItIs(String plugin) throws IOException {
        int depends = 0;
        int decided = 0;
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            RandomCluster cluster = drawn(plugin, seed);
            FlatPolicy asItIs = read(file(cluster), false, ConnectionState.NEW).flat();
            List<Map<String, Object>> specs = new ArrayList<>();
            for (Map<String, Object> object : cluster.objects) {
                if (String.valueOf(object.get("kind")).endsWith("Policy")) {
                    collect(object.get("spec"), specs);
                    collect(object.get("specs"), specs);
                }
            }
            if (specs.isEmpty()) {
                continue;
            }
            specs.get(random.nextInt(specs.size())).put("mystery", 1);
            FlatPolicy skipped = read(file(cluster), true, ConnectionState.NEW).flat();
            for (int i = 0; i < 100; i++) {
                ClusterJudge.Packet packet = RandomClusterTest.packet(cluster, random);
                int[] header = RandomClusterTest.header(packet);
                Outcome found = Objects.requireNonNull(skipped.judge(header)).outcome();
                if (found == Outcome.DEPENDS) {
                    depends++;
                } else {
                    decided++;
                    assertEquals(
                            Objects.requireNonNull(asItIs.judge(header)).outcome(),
                            found,
                            "%s %d, %s".formatted(plugin, seed, packet));
                }
            }
        }
        assertTrue(depends > 500 && decided > 500, depends + " depend, " + decided + " do not");
    }

    private Path file(RandomCluster cluster) throws IOException {
        return Files.writeString(folder.resolve("cluster"), cluster.text(false));
    }

    private static RandomCluster drawn(String plugin, int seed) {
        switch (plugin) {
            case "calico":
                return new RandomCalico(seed).cluster;
            case "cilium":
                return new RandomCilium(seed).cluster;
            default:
                RandomCluster cluster = new RandomCluster(seed);
                cluster.addNetworkPolicies(4);
                cluster.addAdminPolicies(2);
                return cluster;
        }
    }

    /** Collects specs, and the rules in them. */
    private static void collect(Object tree, List<Map<String, Object>> maps) {
        if (tree instanceof List<?> list) {
            list.forEach(each -> collect(each, maps));
        } else if (tree instanceof Map<?, ?> map) {
            @SuppressWarnings("unchecked") // keys of manifests are strings
            Map<String, Object> fields = (Map<String, Object>) map;
            maps.add(fields);
            for (String rules : List.of("ingress", "egress", "ingressDeny", "egressDeny")) {
                if (fields.get(rules) instanceof List<?> list) {
                    collect(list, maps);
                }
            }
        }
    }
}
