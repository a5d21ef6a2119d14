package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Peers that reach pod {@code x/a} at a port, of nine pods in three namespaces and an address
 * outside: the situations that the conformance suite of Kubernetes looks at, in our own words.
 */
final class ReachabilityTest {
    private static final String NAMES = "abc";
    private static final String ALL = "xa xb xc ya yb yc za zb zc out";

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // deny, allow
                "podSelector: {}                                                            | TCP 80 | xa",
                "podSelector: {}, ingress: [{}]                                             | TCP 80 | "
                        + ALL,
                "podSelector: {}, ingress: []                                               | TCP 80 | xa",
                "podSelector: {}, policyTypes: [Egress]                                     | TCP 80 | xa ya yb yc za zb zc out",
                "podSelector: {}, policyTypes: [Ingress, Egress]                            | TCP 80 | xa",
                "podSelector: {matchLabels: {pod: b}}                                       | TCP 80 | "
                        + ALL,
                "podSelector: {matchLabels: {pod: none}}                                    | TCP 80 | "
                        + ALL,
                "podSelector: {matchLabels: {pod: b}}, egress: [{to: [{podSelector: {}}]}]  | TCP 80 | "
                        + ALL,
                "podSelector: {matchLabels: {pod: b}}, policyTypes: [Egress]                | TCP 80 | xa xc ya yb yc za zb zc out",
                // who
                "podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}]}] | TCP 80 | xa xb",
                "podSelector: {}, ingress: [{from: [{podSelector: {}}]}]                      | TCP 80 | xa xb xc",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]                | TCP 80 | xa xb xc ya yb yc za zb zc",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {ns: ny}}}]}] | TCP 80 | xa ya yb yc",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {ns: ny}}, podSelector: {matchLabels: {pod: b}}}]}] | TCP 80 | xa yb",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {ns: ny}}}, {podSelector: {matchLabels: {pod: b}}}]}] | TCP 80 | xa xb ya yb yc",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: ns, operator: NotIn, values: [nx, ny]}]}}]}] | TCP 80 | xa za zb zc",
                "podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: nz}}}]}] | TCP 80 | xa za zb zc",
                "podSelector: {}, ingress: [{from: [{podSelector: {matchExpressions: [{key: pod, operator: In, values: [b, c]}]}, namespaceSelector: {matchExpressions: [{key: ns, operator: Exists}]}}]}] | TCP 80 | xa xb xc yb yc zb zc",
                "podSelector: {matchExpressions: [{key: pod, operator: In, values: [a, b]}]}, ingress: [{from: [{podSelector: {matchLabels: {pod: c}}}]}] | TCP 80 | xa xc",
                // ports
                "podSelector: {}, ingress: [{ports: [{port: 80}]}]                          | TCP 80 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: 80}]}]                          | TCP 81 | xa",
                "podSelector: {}, ingress: [{ports: [{port: 80}]}]                          | UDP 80 | xa",
                "podSelector: {}, ingress: [{ports: [{port: 80, protocol: UDP}]}]           | UDP 80 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: 80, protocol: SCTP}]}]          | SCTP 80 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: 80, protocol: SCTP}]}]          | TCP 80 | xa",
                "podSelector: {}, ingress: [{ports: [{port: serve-81-tcp}]}]                | TCP 81 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: serve-81-tcp}]}]                | TCP 80 | xa",
                "podSelector: {}, ingress: [{ports: [{port: serve-80-udp}]}]                | UDP 80 | xa",
                "podSelector: {}, ingress: [{ports: [{port: none}]}]                        | TCP 80 | xa",
                "podSelector: {}, ingress: [{ports: [{port: 79, endPort: 80}]}]             | TCP 80 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: 79, endPort: 80}]}]             | TCP 81 | xa",
                "podSelector: {}, ingress: [{ports: [{protocol: UDP}]}]                     | UDP 81 | "
                        + ALL,
                "podSelector: {}, ingress: [{ports: [{port: 80}, {port: 81}]}]              | TCP 81 | "
                        + ALL,
                "podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}], ports: [{port: 80}]}, {from: [{podSelector: {matchLabels: {pod: c}}}], ports: [{port: 81}]}] | TCP 81 | xa xc",
                // blocks: those of the conformance suite hold pods
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]         | TCP 80 | "
                        + ALL,
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.1.2/32}}]}]       | TCP 80 | xa yb",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/16, except: [10.0.1.0/24]}}]}] | TCP 80 | xa xb xc za zb zc",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/16, except: [10.0.1.0/24]}}, {ipBlock: {cidr: 10.0.1.2/32}}]}] | TCP 80 | xa xb xc yb za zb zc",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 203.0.113.0/24}}]}]    | TCP 80 | xa out",
                // the source's side: namespace x alone has the policy
                "podSelector: {matchLabels: {pod: b}}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {pod: a}}}]}] | TCP 80 | "
                        + ALL,
                "podSelector: {matchLabels: {pod: b}}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {pod: c}}}]}] | TCP 80 | xa xc ya yb yc za zb zc out",
                "podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 10.0.0.1/32}}]}] | TCP 80 | "
                        + ALL,
                "podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: {ns: ny}}}]}] | TCP 80 | xa ya yb yc za zb zc out",
                "podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: serve-80-tcp}]}] | TCP 80 | "
                        + ALL,
                "podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: serve-81-tcp}]}] | TCP 80 | xa ya yb yc za zb zc out",
            })
    void podIsReachedByThoseWhomThePolicyAllows(String spec, String port, String reaching)
            throws IOException {
        assertEquals(List.of(reaching.split(" ")), reaching(List.of(spec), port));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "podSelector: {} | podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}]}] | xa xb",
                "podSelector: {}, ingress: [{}] | podSelector: {} | " + ALL,
                "podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}]}] | podSelector: {matchLabels: {pod: a}}, ingress: [{from: [{podSelector: {matchLabels: {pod: c}}}]}] | xa xb xc",
                "podSelector: {}, policyTypes: [Egress] | podSelector: {}, ingress: [{from: [{podSelector: {}}]}] | xa",
                "podSelector: {}, policyTypes: [Egress], egress: [{}] | podSelector: {}, ingress: [{from: [{podSelector: {}}]}] | xa xb xc",
            })
    void policiesOfOnePodAllowTogether(String first, String second, String reaching)
            throws IOException {
        assertEquals(List.of(reaching.split(" ")), reaching(List.of(first, second), "TCP 80"));
    }

    private List<String> reaching(List<String> specs, String port) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int n = 0; n < NAMES.length(); n++) {
            String namespace = "n" + (char) ('x' + n);
            text.append(
                    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: %1$s, labels: {ns: %1$s}}}\n"
                            .formatted(namespace));
            for (int p = 0; p < NAMES.length(); p++) {
                text.append(
                        """
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: "%1$s", namespace: %2$s, labels: {pod: "%1$s"}}
                        spec: {containers: [{ports: [{name: serve-80-tcp, containerPort: 80}, {name: serve-81-tcp, containerPort: 81}, {name: serve-80-udp, containerPort: 80, protocol: UDP}]}]}
                        status: {podIP: 10.0.%3$d.%4$d}
                        """
                                .formatted(NAMES.charAt(p), namespace, n, p + 1));
            }
        }
        for (int i = 0; i < specs.size(); i++) {
            text.append(
                    "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p%d, namespace: nx}\nspec: {%s}\n"
                            .formatted(i, specs.get(i)));
        }
        Path file = folder.resolve("cluster.yaml");
        Files.writeString(file, text);
        Assumptions first = new Assumptions(ConnectionState.NEW, null, null);
        FlatPolicy policy = PolicyFile.read(file, new PolicyOptions(null, first, false)).flat();
        int blank = port.indexOf(' ');
        int protocol =
                switch (port.substring(0, blank)) {
                    case "TCP" -> 6;
                    case "UDP" -> 17;
                    default -> 132;
                };
        int number = Integer.parseInt(port.substring(blank + 1));
        List<String> reaching = new ArrayList<>();
        for (String from : ALL.split(" ")) {
            String address =
                    from.equals("out")
                            ? "203.0.113.7"
                            : "10.0.%d.%d"
                                    .formatted(from.charAt(0) - 'x', from.charAt(1) - 'a' + 1);
            int[] header = AddressedPacket.header(address, protocol, "10.0.0.1", 40000, number);
            if (Objects.requireNonNull(policy.judge(header)).outcome() == Outcome.PERMIT) {
                reaching.add(from);
            }
        }
        return reaching;
    }
}
