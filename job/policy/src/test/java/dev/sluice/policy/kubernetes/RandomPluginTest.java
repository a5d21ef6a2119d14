package dev.sluice.policy.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.testing.AddressedPacket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice against slow judges, on random policies of Calico and of Cilium. */
final class RandomPluginTest {
    private static final int CLUSTERS = 150;
    private static final int PACKETS = 100;

    @TempDir Path folder;

    /** Policies of a plugin that were drawn, and their slow judge. */
    private record Drawn<M>(RandomCluster cluster, Judge<M> judge) {}

    private interface Judge<M> {
        /** The outcome of a packet for a reader that makes a mistake; null: nobody knows it. */
        @Nullable Outcome judge(ClusterJudge.Packet packet, M mistake);
    }

    @Test
    void everyPacketIsDecidedAsCalicoDocuments() throws IOException {
        compare(
                CalicoMistake.NONE,
                seed -> {
                    RandomCalico calico = new RandomCalico(seed);
                    return new Drawn<>(calico.cluster, calico::judge);
                });
    }

    @Test
    void everyPacketIsDecidedAsCiliumDocuments() throws IOException {
        compare(
                RandomCilium.Mistake.NONE,
                seed -> {
                    RandomCilium cilium = new RandomCilium(seed);
                    return new Drawn<>(cilium.cluster, cilium::judge);
                });
    }

    private <M extends Enum<M>> void compare(M none, LongFunction<Drawn<M>> draw)
            throws IOException {
        Random random = new Random(52);
        Set<M> missed = EnumSet.allOf(none.getDeclaringClass());
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int seed = 0; seed < CLUSTERS; seed++) {
            Drawn<M> drawn = draw.apply(seed);
            Path file = folder.resolve("cluster" + seed);
            Files.writeString(file, drawn.cluster.text(seed % 3 == 0));
            FlatPolicy policy = RandomClusterTest.read(file, false);
            for (int i = 0; i < PACKETS; i++) {
                ClusterJudge.Packet packet = RandomClusterTest.packet(drawn.cluster, random);
                Outcome expected = drawn.judge.judge(packet, none);
                if (expected == null) {
                    continue;
                }
                Outcome found = Objects.requireNonNull(policy.judge(header(packet))).outcome();
                if (none instanceof CalicoMistake
                        && packet.protocol() == 132
                        && found == Outcome.DEPENDS) {
                    continue; // chunks of SCTP tell whether its state is invalid
                }
                assertEquals(expected, found, "cluster %d, %s".formatted(seed, packet));
                outcomes.merge(found, 1, Integer::sum);
                missed.removeIf(mistake -> drawn.judge.judge(packet, mistake) != found);
            }
        }
        assertEquals(EnumSet.of(none), missed);
        for (Outcome outcome : new Outcome[] {Outcome.PERMIT, Outcome.DENY}) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > CLUSTERS * PACKETS / 5, "" + outcomes);
        }
    }

    private static int[] header(ClusterJudge.Packet packet) {
        boolean isIcmp = packet.protocol() == 1;
        int from = isIcmp ? packet.port() % 2 == 1 ? 8 : 13 : 40000;
        return AddressedPacket.header(
                packet.from(), packet.protocol(), packet.to(), from, packet.port());
    }
}
