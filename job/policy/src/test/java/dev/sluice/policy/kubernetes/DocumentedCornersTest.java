package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Corners that the pages of Kubernetes, Calico and Cilium document, each by one policy. */
final class DocumentedCornersTest {
    private static final PolicyOptions FIRST =
            new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), false);

    /** Pod a (10.0.0.1, fd00::1) and c (10.0.0.3) in x, pod b (10.0.1.2) in z, two nodes. */
    private static final String CLUSTER =
            """
            {apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {team: x}}}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: z}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: a, namespace: x, labels: {app: a}}
            spec: {nodeName: n1, serviceAccountName: front, containers: [{ports: [{name: web, containerPort: 8080, hostPort: 80}]}]}
            status: {hostIP: 192.0.2.1, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: c, namespace: x, labels: {app: c}}
            spec: {nodeName: n2}
            status: {hostIP: 192.0.2.2, podIP: 10.0.0.3, phase: Running}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: b, namespace: z, labels: {app: b}}
            spec: {nodeName: n2, serviceAccountName: front}
            status: {hostIP: 192.0.2.2, podIP: 10.0.1.2, phase: Running}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: job, namespace: x, labels: {app: a}}
            spec: {nodeName: n2}
            status: {hostIP: 192.0.2.2, podIP: 10.0.1.2, phase: Failed}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: s, namespace: x}
            spec: {clusterIP: 10.96.0.1, externalIPs: [198.51.100.9], ports: [{port: 80, nodePort: 30080}, {port: 53, protocol: UDP, nodePort: 30053}]}
            status: {loadBalancer: {ingress: [{ip: 198.51.100.8}, {hostname: lb.example}]}}
            ---
            """;

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // a service at each of its addresses, and at each node
                "podSelector: {} | 203.0.113.7 6 10.96.0.1 80 | DEPENDS",
                "podSelector: {} | 203.0.113.7 6 198.51.100.8 80 | DEPENDS",
                "podSelector: {} | 203.0.113.7 6 198.51.100.9 80 | DEPENDS",
                "podSelector: {} | 203.0.113.7 6 192.0.2.1 30080 | DEPENDS",
                "podSelector: {} | 203.0.113.7 17 192.0.2.2 30053 | DEPENDS",
                "podSelector: {} | 203.0.113.7 17 192.0.2.2 30080 | PERMIT",
                "podSelector: {} | 203.0.113.7 6 192.0.2.1 80 | DEPENDS", // hostPort of its node
                "podSelector: {} | 203.0.113.7 6 192.0.2.2 80 | PERMIT",
                // both addresses of a pod
                "podSelector: {matchLabels: {app: a}} | fd00::9 6 fd00::1 80 | DENY",
                "podSelector: {matchLabels: {app: a}} | 10.0.1.2 6 10.0.0.1 80 | DENY",
                "podSelector: {matchLabels: {app: a}} | fd00::1 6 fd00::1 80 | PERMIT",
                // labels that a pod or a namespace does not have
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}}]}] | 10.0.1.2 6 10.0.0.1 80 | PERMIT",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [x]}]}}]}] | 10.0.1.2 6 10.0.0.1 80 | PERMIT",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [x]}]}}]}] | 10.0.0.3 6 10.0.0.1 80 | DENY",
                "podSelector: {}, ingress: [{from: [{podSelector: {matchExpressions: [{key: tier, operator: NotIn, values: [t]}]}}]}] | 10.0.0.3 6 10.0.0.1 80 | PERMIT",
                // null lists are absent lists, empty types are the default
                "podSelector: {}, policyTypes: [], ingress: null | 10.0.0.3 6 10.0.0.1 80 | DENY",
                "podSelector: null, ingress: [{from: null, ports: null}] | 10.0.0.3 6 10.0.0.1 80 | PERMIT",
                "podSelector: {}, ingress: [{from: [], ports: []}] | 203.0.113.7 6 10.0.0.1 80 | PERMIT",
                // rules of a type that the policy is not of
                "podSelector: {}, policyTypes: [Egress], ingress: [{}] | 203.0.113.7 6 10.0.0.1 80 | PERMIT",
                "podSelector: {}, policyTypes: [Ingress], egress: [{}] | 10.0.0.1 6 203.0.113.7 80 | PERMIT",
                // a name of a port is that of each pod, by its protocol
                "podSelector: {}, ingress: [{ports: [{port: web}]}] | 203.0.113.7 6 10.0.0.1 8080 | PERMIT",
                "podSelector: {}, ingress: [{ports: [{port: web, protocol: UDP}]}] | 203.0.113.7 17 10.0.0.1 8080 | DENY",
                "podSelector: {}, ingress: [{ports: [{port: web}]}] | 203.0.113.7 6 10.0.0.3 8080 | DENY",
            })
    void networkPolicyJudges(String spec, String packet, Outcome expected) throws IOException {
        assertEquals(
                expected, answer("networking.k8s.io/v1", "NetworkPolicy", "x", spec, "", packet));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "selector: all(), ingress: [{action: Allow, source: {serviceAccounts: {names: [front]}}}] | 10.0.0.1 6 10.0.0.3 80 | PERMIT",
                "selector: all(), ingress: [{action: Allow, source: {serviceAccounts: {names: [front]}}}] | 10.0.1.2 6 10.0.0.3 80 | DENY",
                "selector: all(), ingress: [{action: Allow, source: {serviceAccounts: {names: [front]}, namespaceSelector: all()}}] | 10.0.1.2 6 10.0.0.3 80 | PERMIT",
                "selector: all(), ingress: [{action: Allow, source: {serviceAccounts: {names: [default]}}}] | 10.0.0.1 6 10.0.0.3 80 | DENY",
                "selector: \"projectcalico.org/serviceaccount == 'front'\", ingress: [{action: Deny}] | 10.0.0.3 6 10.0.0.1 80 | DENY",
                "selector: \"projectcalico.org/serviceaccount == 'front'\", ingress: [{action: Deny}] | 203.0.113.7 6 10.0.0.3 80 | PERMIT",
                "selector: \"app in {'a', 'b'}\", types: [Egress] | 10.0.0.1 6 203.0.113.7 80 | DENY",
                "selector: \"app not in {'a', 'b'}\", types: [Egress] | 10.0.0.1 6 203.0.113.7 80 | PERMIT",
                "selector: \"has(app) && !(app contains 'c')\", types: [Egress] | 10.0.0.3 6 203.0.113.7 80 | PERMIT",
            })
    void calicoJudges(String spec, String packet, Outcome expected) throws IOException {
        assertEquals(
                expected, answer("projectcalico.org/v3", "NetworkPolicy", "x", spec, "", packet));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "endpointSelector: {}, ingress: [{fromEndpoints: [{}], toPorts: [{ports: [{port: '0', protocol: TCP}]}]}] | 10.0.0.1 6 10.0.0.3 443 | PERMIT",
                "endpointSelector: {}, ingress: [{fromEndpoints: [{}], toPorts: [{ports: [{port: '0', protocol: TCP}]}]}] | 10.0.0.1 17 10.0.0.3 443 | DENY",
                "endpointSelector: {}, ingress: [{fromEndpoints: []}] | 10.0.0.1 6 10.0.0.3 443 | DENY",
                "endpointSelector: {}, ingress: [{}] | 10.0.0.1 6 10.0.0.3 443 | DENY",
                "endpointSelector: {}, egress: [{toCIDR: [0.0.0.0/0]}] | 10.0.0.1 6 10.0.0.3 443 | DENY",
                "endpointSelector: {}, egress: [{toCIDRSet: [{cidr: 203.0.113.0/24, except: [203.0.113.7/32]}]}] | 10.0.0.1 6 203.0.113.7 443 | DENY",
                "endpointSelector: {}, egress: [{toFQDNs: [{matchName: a.example}]}] | 10.0.0.1 6 203.0.113.7 443 | DEPENDS",
                "endpointSelector: {}, ingress: [{toPorts: [{ports: [{port: '80'}], rules: {http: [{method: GET}]}}]}] | 10.0.0.1 6 10.0.0.3 80 | DEPENDS",
                "endpointSelector: {}, ingress: [{}], enableDefaultDeny: {ingress: false} | 10.0.0.1 6 10.0.0.3 443 | PERMIT",
                "endpointSelector: {}, ingressDeny: [{fromEntities: [world]}], ingress: [{fromEntities: [all]}] | 203.0.113.7 6 10.0.0.3 443 | DENY",
            })
    void ciliumJudges(String spec, String packet, Outcome expected) throws IOException {
        assertEquals(
                expected, answer("cilium.io/v2", "CiliumNetworkPolicy", "x", spec, "", packet));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "priority: 5, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}] | 10.0.0.1 6 10.0.0.3 80 | DENY",
                "priority: 5, subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}] | 10.0.0.1 6 10.0.0.3 80 | PERMIT",
                "priority: 5, subject: {namespaces: {}}, ingress: [{action: Pass, from: [{namespaces: {}}]}] | 10.0.0.1 6 10.0.0.3 80 | DENY", // by the policy of x
                "priority: 5, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: b}}}}, ingress: [{action: Deny, from: [{namespaces: {}}]}] | 10.0.0.1 6 10.0.1.2 80 | DENY",
                "priority: 5, subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: [0.0.0.0/0]}]}] | 10.0.0.1 6 10.0.1.2 80 | DENY",
            })
    void adminPolicyJudges(String spec, String packet, Outcome expected) throws IOException {
        String policy =
                "---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: d, namespace: x}, spec: {podSelector: {}}}\n";
        assertEquals(
                expected,
                answer(
                        "policy.networking.k8s.io/v1alpha1",
                        "AdminNetworkPolicy",
                        "",
                        spec,
                        policy,
                        packet));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none        | 10.0.0.3 6 10.0.0.1 80 | PERMIT", // a block holds pods
                "none        | 203.0.113.7 47 10.0.0.1 0 | DEPENDS",
                "cilium      | 10.0.0.3 6 10.0.0.1 80 | DENY", // a block is outside
                "cilium      | 203.0.113.7 1 10.0.0.3 0 | PERMIT",
                "calico-node | 10.0.0.3 6 10.0.0.1 80 | PERMIT",
                "calico-node | 203.0.113.7 47 10.0.0.1 0 | PERMIT",
            })
    void agentsOfAPluginTellWhatKubernetesLeavesOpen(String app, String packet, Outcome expected)
            throws IOException {
        String agent =
                "---\n{apiVersion: v1, kind: Pod, metadata: {name: agent, namespace: kube-system, labels: {k8s-app: %s}}, spec: {hostNetwork: true, nodeName: n2}, status: {hostIP: 192.0.2.2, podIP: 192.0.2.2}}\n"
                        .formatted(app);
        String spec = "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]";
        assertEquals(
                expected,
                answer("networking.k8s.io/v1", "NetworkPolicy", "x", spec, agent, packet));
    }

    @Test
    void labelsThatCalicoAddsItselfAreRefused() {
        SluiceException refused =
                assertThrows(
                        SluiceException.class,
                        () ->
                                answer(
                                        "projectcalico.org/v3",
                                        "NetworkPolicy",
                                        "x",
                                        "selector: has(pcns.team)",
                                        "",
                                        "10.0.0.1 6 10.0.0.3 80"));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("'pcns.team': is a label by which Calico itself"), message);
    }

    private Outcome answer(
            String version, String kind, String namespace, String spec, String more, String packet)
            throws IOException {
        String own = namespace.isEmpty() ? "" : ", namespace: " + namespace;
        String policy =
                "apiVersion: %s\nkind: %s\nmetadata: {name: p%s}\nspec: {%s}\n"
                        .formatted(version, kind, own, spec);
        Path file = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER + policy + more);
        String[] parts = packet.split(" ");
        int[] header =
                ClusterPacket.header(
                        parts[0],
                        Integer.parseInt(parts[1]),
                        parts[2],
                        40000,
                        Integer.parseInt(parts[3]));
        return Objects.requireNonNull(PolicyFile.read(file, FIRST).flat().judge(header)).outcome();
    }
}
