package dev.sluice.job.packets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Serializer of the connector's state with its version, followed by Sluice's own state. A version
 * below {@link #FIRST} denotes the connector's state alone.
 */
final class PacketSourceStateSerializer implements SimpleVersionedSerializer<PacketSourceState> {
    /** Version above all versions of the connector. */
    static final int FIRST = 1_000;

    private final SimpleVersionedSerializer<KafkaSourceEnumState> kafka;

    PacketSourceStateSerializer(SimpleVersionedSerializer<KafkaSourceEnumState> kafka) {
        this.kafka = kafka;
    }

    @Override
    public int getVersion() {
        return FIRST;
    }

    @Override
    public byte[] serialize(PacketSourceState state) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1 << 10);
        SimpleVersionedSerialization.writeVersionAndSerialize(kafka, state.kafka(), out);
        out.writeLong(state.checkpoint());
        out.writeInt(state.topics().size());
        for (var topic : state.topics().entrySet()) {
            out.writeUTF(topic.getKey());
            out.writeUTF(topic.getValue());
        }
        return out.getCopyOfBuffer();
    }

    /**
     * Checks the length of a state before its bytes are allocated.
     *
     * @param at where the state's version and length stand
     * @throws IOException if the bytes end before the state does
     */
    static void requireLength(byte[] bytes, int at) throws IOException {
        long there = bytes.length - at - 2L * Integer.BYTES;
        int length = there < 0 ? -1 : ByteBuffer.wrap(bytes).getInt(at + Integer.BYTES);
        if (length < 0 || length > there) {
            throw new IOException(
                    "the state of a source is damaged: it states a length of %d bytes, and %d are there"
                            .formatted(length, there));
        }
    }

    @Override
    public PacketSourceState deserialize(int version, byte[] serialized) throws IOException {
        if (version < FIRST) {
            return new PacketSourceState(kafka.deserialize(version, serialized), Map.of(), 0);
        }
        if (version > FIRST) {
            throw new IOException(
                    "the checkpoint is of a newer Sluice: its packet source's state has version %s, this one reads up to %s"
                            .formatted(version, FIRST));
        }
        DataInputDeserializer in = new DataInputDeserializer(serialized);
        requireLength(serialized, 0);
        KafkaSourceEnumState state =
                SimpleVersionedSerialization.readVersionAndDeSerialize(kafka, in);
        long checkpoint = in.readLong();
        Map<String, String> topics = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            topics.put(in.readUTF(), in.readUTF());
        }
        return new PacketSourceState(state, topics, checkpoint);
    }
}
