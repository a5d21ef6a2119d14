package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of 2,000 pods in 40 namespaces, with 300 policies. */
final class LargeClusterTest {
    private static final int NAMESPACES = 40;
    private static final int PODS = 2_000;
    private static final int POLICIES = 300;
    private static final int APPS = 12;

    /**
     * Alternatives of the cluster, of which 4,000 are pods that reach themselves and their node.
     */
    private static final int MOST_ALTERNATIVES = 400_000;

    @TempDir Path folder;

    @Test
    void alternativesGrowWithPodsAndPoliciesNotWithTheirProduct() throws IOException {
        Path file = Files.writeString(folder.resolve("cluster.yaml"), text());
        FlatPolicy policy = RandomClusterTest.read(file, false);
        int alternatives = policy.alternatives();
        assertTrue(alternatives < MOST_ALTERNATIVES, alternatives + " alternatives");
        String web = address(0);
        int[] header = AddressedPacket.header(address(1), 6, web, 40000, 8443);
        assertEquals(Outcome.DENY, Objects.requireNonNull(policy.judge(header)).outcome());
    }

    private static String address(int pod) {
        return "10.%d.%d.%d".formatted(pod % 7, pod / 200, pod % 200 + 1);
    }

    private static String text() {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < NAMESPACES; i++) {
            text.append(
                    "---\n{apiVersion: v1, kind: Namespace, metadata: {name: n%d, labels: {team: t%d}}}\n"
                            .formatted(i, i % 8));
        }
        for (int i = 0; i < PODS; i++) {
            text.append(
                    "---\n{apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: n%d, labels: {app: a%d, tier: r%d}}, spec: {nodeName: node%d, containers: [{ports: [{name: web, containerPort: %d}]}]}, status: {hostIP: 192.0.2.%d, podIP: %s}}\n"
                            .formatted(
                                    i,
                                    i % NAMESPACES,
                                    i / NAMESPACES % APPS,
                                    i % 3,
                                    i % 50,
                                    8080 + i % 2,
                                    1 + i % 50,
                                    address(i)));
        }
        for (int i = 0; i < POLICIES; i++) {
            String pods = "podSelector: {matchLabels: {app: a%d}}".formatted(random.nextInt(APPS));
            String selects = i < NAMESPACES ? "podSelector: {}" : pods;
            String peer =
                    switch (random.nextInt(3)) {
                        case 0 -> pods;
                        case 1 ->
                                "namespaceSelector: {matchLabels: {team: t%d}}, %s"
                                        .formatted(random.nextInt(8), pods);
                        default -> "ipBlock: {cidr: 198.51.%d.0/24}".formatted(random.nextInt(99));
                    };
            String rule = "{%s: [{%s}], ports: [{port: %d}, {port: web}]}";
            String rules =
                    i < NAMESPACES
                            ? "policyTypes: [Ingress]"
                            : "ingress: [%s], egress: [%s]"
                                    .formatted(
                                            rule.formatted("from", peer, 80 + random.nextInt(9)),
                                            rule.formatted("to", peer, 80 + random.nextInt(9)));
            text.append(
                    "---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np%d, namespace: n%d}, spec: {%s, %s}}\n"
                            .formatted(i, i % NAMESPACES, selects, rules));
        }
        return text.toString();
    }
}
