package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PacketSourceStateSerializerTest {
    private static final KafkaSourceEnumState SPLITS =
            new KafkaSourceEnumState(
                    List.of(new KafkaPartitionSplit(new TopicPartition("p", 1), 17)),
                    List.of(),
                    true);

    private final KafkaSourceEnumStateSerializer kafka = new KafkaSourceEnumStateSerializer();
    private final PacketSourceStateSerializer ours = new PacketSourceStateSerializer(kafka);

    private static void assertSplits(PacketSourceState state) {
        assertEquals(
                List.copyOf(SPLITS.assignedSplits()), List.copyOf(state.kafka().assignedSplits()));
        assertTrue(state.kafka().initialDiscoveryFinished());
    }

    @Test
    void theIdsOfTopicsStandBesideTheConnectorsState() throws IOException {
        PacketSourceState state = new PacketSourceState(SPLITS, Map.of("p", "a", "r", "b"), 12);
        PacketSourceState read = ours.deserialize(ours.getVersion(), ours.serialize(state));
        assertSplits(read);
        assertEquals(state.topics(), read.topics());
        assertEquals(12, read.checkpoint());
    }

    @Test
    void stateOfJobsFromBeforeIsTheConnectorsAlone() throws IOException {
        PacketSourceState read = ours.deserialize(kafka.getVersion(), kafka.serialize(SPLITS));
        assertSplits(read);
        assertEquals(Map.of(), read.topics());
    }

    @Test
    void stateOfANewerSluiceIsRefused() {
        assertThrows(IOException.class, () -> ours.deserialize(ours.getVersion() + 1, new byte[0]));
    }

    @Test
    void aDamagedLengthIsRefusedBeforeItIsAllocated() throws IOException {
        byte[] state =
                ours.serialize(new PacketSourceState(SPLITS, Map.of("p", "a", "r", "b"), 12));
        for (int length : new int[] {-1, state.length, Integer.MAX_VALUE}) {
            byte[] damaged = state.clone();
            ByteBuffer.wrap(damaged).putInt(4, length);
            IOException inner =
                    assertThrows(
                            IOException.class, () -> ours.deserialize(ours.getVersion(), damaged));
            assertTrue(inner.getMessage().contains("is damaged: "), inner.getMessage());
            byte[] whole = ByteBuffer.allocate(11 + state.length).putInt(8, length).array();
            assertThrows(IOException.class, () -> SavedSource.of(whole));
        }
        assertThrows(IOException.class, () -> SavedSource.of(new byte[7]));
    }
}
