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
import dev.sluice.policy.testing.AddressedPacket;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Corners that the pages of Kubernetes, Calico and Cilium document, each by one policy: the table
 * {@code corners.txt}, whose head tells its form.
 */
final class DocumentedCornersTest {
    private static final PolicyOptions FIRST =
            new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), false);

    private static final String TABLE =
            "src/test/resources/dev/sluice/policy/kubernetes/corners.txt";

    private static final String REFUSED = "refused: ";

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

    /** Policy, packet and outcome that a page documents. */
    private record Corner(
            String page, String kind, String more, String spec, String packet, String expected) {
        @Override
        public String toString() {
            return page.replaceFirst(".*?//", "") + ": " + spec + " | " + packet;
        }
    }

    static List<Corner> corners() throws IOException {
        List<Corner> corners = new ArrayList<>();
        String page = "";
        String kind = "";
        String more = "";
        for (String line : Files.readAllLines(TestData.inCheckout("job/policy").resolve(TABLE))) {
            String rest = line.replaceFirst("\\S+ ?", "");
            switch (line.split(" ", 2)[0]) {
                case "page" -> page = rest;
                case "kind" -> {
                    kind = rest;
                    more = "";
                }
                case "with" -> more += "---\n" + rest + "\n";
                case "#", "" -> {}
                default -> {
                    String[] parts = line.split(" \\| ");
                    assertEquals(3, parts.length, line);
                    corners.add(new Corner(page, kind, more, parts[0], parts[1], parts[2]));
                }
            }
        }
        return corners;
    }

    @ParameterizedTest
    @MethodSource("corners")
    void aCornerIsJudgedAsItsPageSays(Corner corner) throws IOException {
        if (!corner.expected.startsWith(REFUSED)) {
            assertEquals(Outcome.valueOf(corner.expected), answer(corner));
            return;
        }
        SluiceException refused = assertThrows(SluiceException.class, () -> answer(corner));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(corner.expected.substring(REFUSED.length())), message);
    }

    private Outcome answer(Corner corner) throws IOException {
        String[] kind = corner.kind.split(" ");
        String policy =
                "apiVersion: %s\nkind: %s\nmetadata: {name: p%s}\nspec: {%s}\n"
                        .formatted(
                                kind[0],
                                kind[1],
                                kind.length < 3 ? "" : ", namespace: " + kind[2],
                                corner.spec);
        Path file =
                Files.writeString(folder.resolve("cluster.yaml"), CLUSTER + policy + corner.more);
        String[] parts = corner.packet.split(" ");
        int protocol = Integer.parseInt(parts[1]);
        int[] header =
                AddressedPacket.header(
                        parts[0],
                        protocol,
                        parts[2],
                        protocol == 1 ? 8 : 40000,
                        Integer.parseInt(parts[3]));
        return Objects.requireNonNull(PolicyFile.read(file, FIRST).flat().judge(header)).outcome();
    }
}
