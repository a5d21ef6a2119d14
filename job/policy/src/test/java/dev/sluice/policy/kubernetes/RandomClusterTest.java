package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice against a slow judge, on random clusters, policies and packets at their corners. */
final class RandomClusterTest {
    private static final int CLUSTERS = 200;
    private static final int PACKETS = 100;

    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedAsTheDocumentationSays() throws IOException {
        Random random = new Random(52);
        Set<ClusterMistake> missed = EnumSet.allOf(ClusterMistake.class);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        int ruled = 0;
        for (int seed = 0; seed < CLUSTERS; seed++) {
            RandomCluster cluster = new RandomCluster(seed);
            cluster.addNetworkPolicies(7);
            if (seed % 2 == 0) {
                cluster.addAdminPolicies(4);
            }
            Path file = folder.resolve("cluster" + seed);
            Files.writeString(file, cluster.text(seed % 3 == 0));
            Map<Boolean, FlatPolicy> policies = new LinkedHashMap<>();
            for (boolean reply : new boolean[] {false, true}) {
                policies.put(reply, read(file, reply));
            }
            for (int i = 0; i < PACKETS; i++) {
                ClusterJudge.Packet packet = packet(cluster, random);
                ClusterJudge.Answer expected = judge(cluster, ClusterMistake.NONE, packet);
                FlatPolicy.Answer found =
                        Objects.requireNonNull(
                                Objects.requireNonNull(policies.get(packet.reply()))
                                        .judge(header(packet)));
                String story = "cluster %d, %s".formatted(seed, packet);
                assertEquals(expected.outcome(), found.outcome(), story);
                outcomes.merge(found.outcome(), 1, Integer::sum);
                if (expected.rule() != null) {
                    ruled++;
                    assertEquals(
                            cluster.lines.get(expected.rule()),
                            found.rule().origin().line(),
                            story);
                }
                missed.removeIf(
                        mistake -> judge(cluster, mistake, packet).outcome() != found.outcome());
            }
        }
        assertEquals(EnumSet.of(ClusterMistake.NONE), missed);
        for (Outcome outcome : List.of(Outcome.PERMIT, Outcome.DENY)) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > CLUSTERS * PACKETS / 5, "" + outcomes);
        }
        assertTrue(ruled > CLUSTERS * PACKETS / 4, ruled + " packets with a deciding line");
    }

    private static ClusterJudge.Answer judge(
            RandomCluster cluster, ClusterMistake mistake, ClusterJudge.Packet packet) {
        return new ClusterJudge(cluster.objects, mistake).judge(packet);
    }

    static FlatPolicy read(Path file, boolean reply) {
        Assumptions assumed =
                new Assumptions(
                        reply ? ConnectionState.ESTABLISHED : ConnectionState.NEW, null, null);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false)).flat();
    }

    static ClusterJudge.Packet packet(RandomCluster cluster, Random random) {
        String from = address(cluster, random);
        String to = address(cluster, random);
        while ((from.indexOf(':') < 0) != (to.indexOf(':') < 0)) {
            to = address(cluster, random);
        }
        int[] protocols = {6, 6, 6, 17, 132, 1};
        int protocol = protocols[random.nextInt(protocols.length)];
        int port = 79 + random.nextInt(5);
        if (random.nextInt(3) == 0) {
            for (Map<String, Object> own : ClusterJudge.portsAt(cluster.objects, to)) {
                protocol = "UDP".equals(own.get("protocol")) ? 17 : 6;
                port = (Integer) Objects.requireNonNull(own.get("containerPort"));
            }
        }
        return new ClusterJudge.Packet(from, to, protocol, port, random.nextInt(10) == 0);
    }

    private static String address(RandomCluster cluster, Random random) {
        return cluster.addresses.get(random.nextInt(cluster.addresses.size()));
    }

    static int[] header(ClusterJudge.Packet packet) {
        boolean isIcmp = packet.protocol() == 1;
        return AddressedPacket.header(
                packet.from(), packet.protocol(), packet.to(), isIcmp ? 8 : 40000, packet.port());
    }
}
