package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of strangers: each is read, or refused by a message that names it. */
final class HostileManifestTest {
    private static final PolicyOptions FIRST =
            new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), false);

    private static final String WORDS = "{}[]:,-'\"&*!|>#%@\n\t 0é\\";

    @TempDir Path folder;

    @Test
    void thousandChangedFilesAreReadOrRefused() throws IOException {
        Random random = new Random(7);
        List<String> seeds =
                List.of(
                        Files.readString(TestData.inCheckout("test-data/kubernetes/cluster.yaml")),
                        new RandomCalico(1).cluster.text(false),
                        new RandomCilium(2).cluster.text(true));
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 1000; i++) {
            String text = changed(seeds.get(i % seeds.size()), random);
            try {
                PolicyFile.read(file(text), FIRST);
                read++;
            } catch (SluiceException e) {
                refused++;
                assertTrue(String.valueOf(e.getMessage()).contains("hostile.yaml"), e.getMessage());
            }
        }
        assertTrue(read > 50 && refused > 50, read + " read, " + refused + " refused");
    }

    private static String changed(String seed, Random random) {
        List<String> lines = new ArrayList<>(Arrays.asList(seed.split("\n")));
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
            int at = random.nextInt(lines.size());
            String line = lines.get(at);
            switch (random.nextInt(5)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(random.nextInt(lines.size()), line);
                case 2 -> Collections.swap(lines, at, random.nextInt(lines.size()));
                case 3 -> lines.set(at, line.substring(0, random.nextInt(line.length() + 1)));
                default -> {
                    int column = random.nextInt(line.length() + 1);
                    char word = WORDS.charAt(random.nextInt(WORDS.length()));
                    lines.set(at, line.substring(0, column) + word + line.substring(column));
                }
            }
        }
        return String.join("\n", lines);
    }

    @Test
    void bombOfAliasesIsRefused() throws IOException {
        StringBuilder text = new StringBuilder("apiVersion: v1\nkind: Pod\na0: &a0 [x, x, x]\n");
        for (int i = 1; i < 40; i++) {
            text.append("a%1$d: &a%1$d [*a%2$d, *a%2$d, *a%2$d]\n".formatted(i, i - 1));
        }
        assertRefused(text.toString(), ":14:24: '*a10': makes more than 1,000,000 copies");
    }

    @Test
    void deepNestingIsRefused() throws IOException {
        assertRefused(
                "apiVersion: v1\nkind: Pod\nspec: " + "[".repeat(100_000),
                ":3:106: 'nesting': is deeper than 100 levels");
    }

    @Test
    void objectsThatMayBePoliciesAreRefused() throws IOException {
        for (String version : List.of("security.istio.io/v1", "crd.antrea.io/v1beta1")) {
            assertRefused(
                    "apiVersion: %s\nkind: Other\nmetadata: {name: a}\n".formatted(version),
                    ":1:1: 'Other': is a kind of");
        }
    }

    @Test
    void objectsThatAreThereTwiceAreRefused() throws IOException {
        String namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
        assertRefused(namespace + "---\n" + namespace, ":5:1: 'Namespace a': is there twice");
    }

    @Test
    void podsOfOneAddressAreRefused() throws IOException {
        String pods =
                IntStream.range(0, 2)
                        .mapToObj(
                                i ->
                                        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {}\nstatus: {podIP: 10.0.0.1}\n"
                                                .formatted(i))
                        .reduce("", String::concat);
        assertRefused(pods, ":8:1: 'default/p1': has an address of pod default/p0");
    }

    @Test
    void selectorOfMissingNamespacesIsRefused() throws IOException {
        assertRefused(
                """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: sp}
                spec: {}
                status: {podIP: 10.0.0.1}
                ---
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: a, namespace: sp}
                spec: {ingress: [{from: [{namespaceSelector: {matchLabels: {team: a}}}]}]}
                """,
                ":10:46: 'sp': is a namespace whose labels are missing; add the output of kubectl get namespaces");
    }

    @Test
    void adminPoliciesOfOnePriorityAreRefused() throws IOException {
        String pod =
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: sp}\nspec: {}\nstatus: {podIP: 10.0.0.1}\n";
        String policy =
                "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: %s}\nspec: {priority: 5, subject: {namespaces: {}}}\n";
        assertRefused(
                pod + policy.formatted("a") + policy.formatted("b"),
                ":12:1: 'AdminNetworkPolicy b': has the priority of AdminNetworkPolicy a");
    }

    @Test
    void filesOfOneFolderMakeOnePolicy() throws IOException {
        String text = Files.readString(TestData.inCheckout("test-data/kubernetes/cluster.yaml"));
        int policies = text.indexOf("- apiVersion: networking");
        Path cluster = Files.createDirectory(folder.resolve("cluster"));
        Files.writeString(
                cluster.resolve("pods.yaml"), text.substring(0, policies) + "kind: List\n");
        Path below = Files.createDirectory(cluster.resolve("policies"));
        Files.writeString(
                below.resolve("all.yml"),
                "apiVersion: v1\nkind: List\nitems:\n"
                        + text.substring(policies, text.indexOf("kind: List")));
        Files.writeString(cluster.resolve("README.md"), "no object");
        PolicyFile parted = PolicyFile.read(cluster, FIRST);
        PolicyFile whole =
                PolicyFile.read(TestData.inCheckout("test-data/kubernetes/cluster.yaml"), FIRST);
        assertEquals(whole.flat().alternatives(), parted.flat().alternatives());
        assertEquals(whole.rules().size(), parted.rules().size());
        assertTrue(
                parted.rules().stream().anyMatch(rule -> rule.origin().file().endsWith("all.yml")),
                "no rule of the second file");
    }

    private void assertRefused(String text, String expected) throws IOException {
        Path file = file(text);
        SluiceException refused =
                assertThrows(SluiceException.class, () -> PolicyFile.read(file, FIRST));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("hostile.yaml" + expected), message);
    }

    private Path file(String text) throws IOException {
        Path file = folder.resolve("hostile.yaml");
        Files.writeString(file, text, StandardCharsets.UTF_8);
        return file;
    }
}
