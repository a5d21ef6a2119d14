package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connection lists that np-guard's netpol-analyzer expects of folders of manifests, against what
 * Sluice says of each pair of workloads, address range, protocol and port.
 */
final class ConnectionListTest {
    private static final Pattern REASON =
            Pattern.compile(
                    "'((?:Cluster)?UserDefinedNetwork)': is a kind of|'nodes': are missing|has no meaning with nodes or networks");

    @TempDir Path temp;

    private final Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    private final List<String> differences = new ArrayList<>();
    private int compared;

    /** Outcomes of a list: the rows of the table in docs/policies/kubernetes.md. */
    enum Kind {
        /** Each pair is as Sluice says. */
        EQUAL,
        /** As EQUAL, beside lines of an ingress controller that is no pod. */
        INGRESS,
        /** As EQUAL, beside lines of pods that do not exist. */
        EXPOSURE,
        /** As EQUAL in the network of pods, beside lines of others. */
        NETWORKS,
        /**
         * As EQUAL, but for workloads in the network of their node, of which Sluice says depends.
         */
        HOST_NETWORK,
        /** As EQUAL, but for blocks of IPv6, which np-guard leaves out. */
        IPV6,
        /** Sluice refuses networks of users, which the folder has. */
        NETWORKS_REFUSED,
        /** Sluice refuses rules for nodes that the folder lacks, and named ports of networks. */
        REFUSED,
        /** A picture of a list that is compared. */
        PICTURE,
        /** The objects stand in Go's source. */
        NO_MANIFESTS
    }

    @Test
    void samplesAreEqualOrExplained() throws IOException {
        compare(
                TestData.inCheckout(
                        "job/policy/src/test/resources/dev/sluice/policy/kubernetes/np-guard"));
        assertEquals(
                Map.of(
                        Kind.EQUAL, 25,
                        Kind.INGRESS, 8,
                        Kind.EXPOSURE, 42,
                        Kind.NETWORKS, 24,
                        Kind.IPV6, 1,
                        Kind.NETWORKS_REFUSED, 15,
                        Kind.REFUSED, 2),
                kinds);
    }

    @Test
    @Tag("long")
    void allListsAreEqualOrExplained() throws IOException {
        compare(SharedData.folder("np-guard"));
        assertEquals(
                Map.of(
                        Kind.EQUAL, 314,
                        Kind.INGRESS, 97,
                        Kind.EXPOSURE, 612,
                        Kind.NETWORKS, 98,
                        Kind.HOST_NETWORK, 5,
                        Kind.IPV6, 1,
                        Kind.NETWORKS_REFUSED, 142,
                        Kind.REFUSED, 4,
                        Kind.PICTURE, 167,
                        Kind.NO_MANIFESTS, 39),
                kinds);
        assertTrue(compared > 80_000, compared + " pairs");
    }

    private void compare(Path root) throws IOException {
        Path folders = root.resolve("tests");
        Map<String, List<ConnectionList>> byFolder = new TreeMap<>();
        List<Path> files;
        try (Stream<Path> all = Files.list(root.resolve("test_outputs/connlist"))) {
            files = all.sorted().toList();
        }
        for (Path file : files) {
            if (file.toString().endsWith(".png")) {
                count(Kind.PICTURE);
                continue;
            }
            ConnectionList list = ConnectionList.of(file, folders);
            if (list == null) {
                count(Kind.NO_MANIFESTS);
            } else {
                byFolder.computeIfAbsent(list.folder, none -> new ArrayList<>()).add(list);
            }
        }
        for (Map.Entry<String, List<ConnectionList>> each : byFolder.entrySet()) {
            WorkloadFolder folder = new WorkloadFolder(folders.resolve(each.getKey()));
            Path cluster = temp.resolve(each.getKey() + ".yaml");
            Files.writeString(cluster, folder.text());
            WorkloadReach reach = null;
            Kind refused = Kind.REFUSED;
            try {
                reach = new WorkloadReach(cluster, folder);
            } catch (SluiceException e) {
                String message = String.valueOf(e.getMessage());
                Matcher reason = REASON.matcher(message);
                assertTrue(reason.find(), message);
                refused = reason.group(1) == null ? Kind.REFUSED : Kind.NETWORKS_REFUSED;
            }
            for (ConnectionList list : each.getValue()) {
                count(reach == null ? refused : compare(list, folder, reach));
            }
        }
        assertEquals(List.of(), differences);
    }

    private void count(Kind kind) {
        kinds.merge(kind, 1, Integer::sum);
    }

    private Kind compare(ConnectionList list, WorkloadFolder folder, WorkloadReach reach) {
        ListComparison comparison = new ListComparison(list, folder, reach);
        compared += comparison.compare(differences);
        Set<String> others = comparison.others();
        return folder.kinds.contains("NetworkAttachmentDefinition")
                ? Kind.NETWORKS
                : others.contains("{ingress-controller}")
                        ? Kind.INGRESS
                        : list.isOfExposure || !others.isEmpty()
                                ? Kind.EXPOSURE
                                : comparison.dependsOnHosts()
                                        ? Kind.HOST_NETWORK
                                        : comparison.differsByV6() ? Kind.IPV6 : Kind.EQUAL;
    }
}
