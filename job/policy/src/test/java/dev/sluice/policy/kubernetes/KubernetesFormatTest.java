package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KubernetesFormatTest {
    private static final PolicyOptions FIRST = options(ConnectionState.NEW);

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "calico", "cilium"})
    void eachPolicyIsUnderstoodAsTheGoldenFileSays(String name) throws IOException {
        PolicyFile file = PolicyFile.read(sample(name + ".yaml"), FIRST);
        String understood = UnderstoodRules.of(file);
        assertEquals(Files.readString(sample(name + ".understood")), understood);
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.1.20, 6, 10.244.1.10, 8080, PERMIT, 182", // named port of web-1
        "10.244.1.20, 6, 10.244.1.10, 8081, DENY, 150", // that of web-2
        "10.244.1.20, 6, 10.244.2.10, 8081, PERMIT, 182",
        "10.244.1.20, 6, 10.244.1.10, 9110, PERMIT, 182",
        "10.244.1.20, 6, 10.244.1.10, 9111, DENY, 150",
        "10.244.1.20, 17, 10.244.1.10, 8080, DENY, 150",
        "10.244.1.10, 6, 10.244.2.11, 5432, PERMIT, 205",
        "10.244.1.10, 17, 10.244.2.11, 5432, DENY, 159",
        "10.244.1.20, 6, 10.244.2.11, 5432, DENY, 150",
        "10.244.1.10, 6, 198.51.100.1, 443, PERMIT, 0",
        "10.244.1.10, 6, 198.51.100.129, 443, DENY, 159",
        "10.244.1.10, 6, 10.244.1.10, 1, PERMIT, 0", // itself
        "192.0.2.1, 6, 10.244.1.10, 1, PERMIT, 0", // from its node
        "10.244.1.10, 6, 192.0.2.1, 22, PERMIT, 0",
        "10.244.1.10, 6, 192.0.2.2, 22, DENY, 159",
        "192.0.2.2, 6, 10.244.1.10, 8080, DEPENDS, 182", // the node or its agent
        "192.0.2.3, 6, 10.244.1.10, 8080, DENY, 150",
        "10.244.1.20, 6, 192.0.2.3, 8080, PERMIT, 0", // no policy
        "10.244.1.77, 6, 10.244.1.20, 8080, PERMIT, 0",
        "10.244.1.77, 6, 10.244.2.11, 5432, DENY, 150", // a pod that has ended
        "10.244.1.20, 6, 10.96.0.80, 80, DEPENDS, 135",
        "10.244.1.20, 1, 10.244.1.10, 0, DEPENDS, 150",
        "10.244.1.20, 1, 192.0.2.9, 0, PERMIT, 0",
    })
    void packetsAreDecidedByTheirLine(
            String from, int protocol, String to, int port, Outcome outcome, int line)
            throws IOException {
        PolicyFile file = PolicyFile.read(sample("cluster.yaml"), FIRST);
        assertEquals(outcome + " " + line, answer(file, from, protocol, to, port));
    }

    @Test
    void repliesOfAllowedConnectionsPass() throws IOException {
        String reply = "10.244.2.11, 6, 10.244.1.10, 40000";
        assertEquals("PERMIT 0", answer(ConnectionState.ESTABLISHED, reply));
        assertEquals("DENY 150", answer(ConnectionState.NEW, reply));
        assertEquals("DEPENDS 0", answer(null, reply));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: NetworkPolicy, metadata: {name: a} | 'NetworkPolicy a': has no field apiVersion; add it",
                "kind: NetworkPolicy | 'NetworkPolicy': has no field apiVersion; add it",
                "apiVersion: v1, metadata: {name: a} | 'object a': has no field kind; add it",
                "apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a} | 'NetworkPolicy a': has no field spec; add it",
                "apiVersion: v1, kind: Pod, metadata: {name: a}, status: {podIP: 10.0.0.1} | 'Pod a': has no field spec; add it",
            })
    void objectsThatLackAFieldAreNamed(String fields, String expected) throws IOException {
        String text = String.join("\n", fields.split(", ")) + "\n";
        Path file = Files.writeString(folder.resolve("a.yaml"), text);
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        assertEquals(file + ":1:1: " + expected, refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "podSelector: {}, hosts: [a] | 7:20: 'hosts': is a field of NetworkPolicy spec that Sluice does not read",
                "podSelector: {matchLabels: {app: 5}} | 7:36: '5': is no string in YAML; write it in quotes",
                "podSelector: {matchLabels: {app: on}} | 7:36: 'on': is no string in YAML",
                "podSelector: {matchLabel: {app: a}} | 7:17: 'matchLabel': is a field of a label selector",
                "podSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]} | 7:55: 'Gt': is no operator",
                "podSelector: {matchExpressions: [{key: a, operator: In}]} | 7:36: '{key: a, operator: In}': needs values",
                "podSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]} | takes no values",
                "podSelector: {}, policyTypes: [ingress] | 7:34: 'ingress': is no type of policy",
                "podSelector: {}, ingress: {} | 7:29: '{}': is no list",
                "podSelector: [] | 7:16: '[]': is no mapping",
                "podSelector: {}, ingress: [{from: [{}]}] | 7:38: '{}': names no peer",
                "podSelector: {}, ingress: [{to: []}] | 7:31: 'to': is a field of a rule of ingress",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/33}}]}] | 7:64: '33': is not a prefix length",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.1}}]}] | 7:55: '10.0.0.1': is no block",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/9]}}]}] | 7:76: '11.0.0.0/9': is not within its cidr",
                "podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}]}] | has ipBlock beside selectors",
                "podSelector: {}, ingress: [{ports: [{port: 65536}]}] | 7:46: '65536': is no number that fits",
                "podSelector: {}, ingress: [{ports: [{port: 0x50}]}] | 7:46: '0x50': is no string in YAML",
                "podSelector: {}, ingress: [{ports: [{port: '80'}]}] | 7:46: '80': is neither a number nor a port's name",
                "podSelector: {}, ingress: [{ports: [{port: 80, endPort: 79}]}] | 7:59: '79': is no number that fits there; write 80 to 65535",
                "podSelector: {}, ingress: [{ports: [{port: web, endPort: 79}]}] | 7:60: '79': needs a port in numbers",
                "podSelector: {}, ingress: [{ports: [{protocol: tcp}]}] | 7:50: 'tcp': is no protocol",
                "podSelector: {}, podSelector: {} | 7:20: 'podSelector': stands twice",
                "podSelector: *x | 7:16: '*x': has no anchor",
                "podSelector: &x {matchLabels: *x} | 7:33: '*x': has no anchor that ends before it",
                "podSelector: !!binary x | is a tag that Sluice does not read",
                "podSelector: { | makes the text no YAML",
            })
    void refusalNamesColumnAndWords(String spec, String expected) throws IOException {
        Path file = folder.resolve("policy.yaml");
        Files.writeString(
                file,
                """
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata:
                  name: a
                  namespace: b
                spec: {
                  %s}
                """
                        .formatted(spec));
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("policy.yaml:") && message.contains(expected), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "selector: app = 'a' | 7:17: '=': is no word of Calico's selectors",
                "selector: app == a | 7:20: 'a': stands where a text is wanted",
                "selector: (app == 'a' | stands where Calico's selectors have )",
                "selector: app == 'a' app | 7:24: 'app': stands behind the end of the selector",
                "selector: app like 'a' | 7:17: 'like': is no operator",
                "selector: all(), tier: none | 'none': is a tier that is missing",
                "selector: all(), order: soon | 7:27: 'soon': is no order",
                "selector: all(), ingress: [{action: Accept}] | 7:39: 'Accept': is no action",
                "selector: all(), ingress: [{action: Allow, http: {methods: [GET]}}] | 7:46: 'http': is a field of a rule of Calico",
                "selector: all(), ingress: [{action: Allow, source: {domains: [a.b]}}] | 'domains': is a field of an end of a rule",
                "selector: all(), ingress: [{action: Allow, destination: {ports: [80]}}] | needs a protocol with ports",
                "selector: all(), ingress: [{action: Allow, protocol: TCP, destination: {ports: ['9:8']}}] | is no range of ports",
                "selector: all(), ingress: [{action: Allow, icmp: {type: 8}}] | needs protocol: ICMP or ICMPv6",
                "selector: all(), serviceAccountSelector: all() | 'serviceAccountSelector': is a field of NetworkPolicy spec",
            })
    void refusalOfCalicoNamesColumnAndWords(String spec, String expected) throws IOException {
        Path file = folder.resolve("policy.yaml");
        Files.writeString(
                file,
                """
                apiVersion: projectcalico.org/v3
                kind: NetworkPolicy
                metadata:
                  name: a
                  namespace: b
                spec: {
                  %s}
                """
                        .formatted(spec));
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("policy.yaml:") && message.contains(expected), message);
    }

    private static String answer(@Nullable ConnectionState state, String packet)
            throws IOException {
        String[] parts = packet.split(", ");
        PolicyFile file = PolicyFile.read(sample("cluster.yaml"), options(state));
        return answer(
                file, parts[0], Integer.parseInt(parts[1]), parts[2], Integer.parseInt(parts[3]));
    }

    private static String answer(PolicyFile file, String from, int protocol, String to, int port) {
        Answer answer =
                Objects.requireNonNull(
                        file.flat().judge(AddressedPacket.header(from, protocol, to, 40000, port)));
        return answer.outcome() + " " + answer.rule().origin().line();
    }

    private static PolicyOptions options(@Nullable ConnectionState state) {
        return new PolicyOptions(null, new Assumptions(state, null, null), false);
    }

    private static Path sample(String name) throws IOException {
        return TestData.inCheckout("test-data/kubernetes/" + name);
    }
}
