package dev.sluice.job.packets;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.core.io.SimpleVersionedSerializer;

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
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            byte[] inner = kafka.serialize(state.kafka());
            out.writeInt(kafka.getVersion());
            out.writeInt(inner.length);
            out.write(inner);
            out.writeLong(state.checkpoint());
            out.writeInt(state.topics().size());
            for (var topic : state.topics().entrySet()) {
                out.writeUTF(topic.getKey());
                out.writeUTF(topic.getValue());
            }
        }
        return bytes.toByteArray();
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
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
            int inner = in.readInt();
            KafkaSourceEnumState state = kafka.deserialize(inner, in.readNBytes(in.readInt()));
            long checkpoint = in.readLong();
            Map<String, String> topics = new HashMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                topics.put(in.readUTF(), in.readUTF());
            }
            return new PacketSourceState(state, topics, checkpoint);
        }
    }
}
