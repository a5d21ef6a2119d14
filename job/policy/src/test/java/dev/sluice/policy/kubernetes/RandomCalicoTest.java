package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice against a slow judge, on random policies of Calico. */
final class RandomCalicoTest {
    private static final int CLUSTERS = 150;
    private static final int PACKETS = 100;

    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedAsCalicoDocuments() throws IOException {
        Random random = new Random(52);
        Set<CalicoMistake> missed = EnumSet.allOf(CalicoMistake.class);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int seed = 0; seed < CLUSTERS; seed++) {
            RandomCalico calico = new RandomCalico(seed);
            Path file = folder.resolve("cluster" + seed);
            Files.writeString(file, calico.cluster.text(seed % 3 == 0));
            FlatPolicy policy = RandomClusterTest.read(file, false);
            for (int i = 0; i < PACKETS; i++) {
                ClusterJudge.Packet packet = RandomClusterTest.packet(calico.cluster, random);
                Outcome expected = calico.judge(packet, CalicoMistake.NONE);
                if (expected == null) {
                    continue;
                }
                boolean isIcmp = packet.protocol() == 1;
                int[] header =
                        ClusterPacket.header(
                                packet.from(),
                                packet.protocol(),
                                packet.to(),
                                isIcmp ? packet.port() % 2 == 1 ? 8 : 13 : 40000,
                                packet.port());
                Outcome found = Objects.requireNonNull(policy.judge(header)).outcome();
                if (packet.protocol() == 132 && found == Outcome.DEPENDS) {
                    continue; // chunks of SCTP tell whether its state is invalid
                }
                assertEquals(expected, found, "cluster %d, %s".formatted(seed, packet));
                outcomes.merge(found, 1, Integer::sum);
                missed.removeIf(mistake -> calico.judge(packet, mistake) != found);
            }
        }
        assertEquals(EnumSet.of(CalicoMistake.NONE), missed);
        for (Outcome outcome : new Outcome[] {Outcome.PERMIT, Outcome.DENY}) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > CLUSTERS * PACKETS / 5, "" + outcomes);
        }
    }
}
