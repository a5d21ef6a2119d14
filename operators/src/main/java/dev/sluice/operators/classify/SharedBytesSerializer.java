package dev.sluice.operators.classify;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Byte arrays that nobody changes: a checkpoint takes references, where Flink's own serializer
 * copies all bytes in the mailbox thread, which holds packets and rules up (100 ms and more for a
 * log of 64 MB). The bytes written are the same, so states of earlier releases can be read.
 * Thread-safe.
 */
final class SharedBytesSerializer extends TypeSerializerSingleton<byte[]> {
    static final SharedBytesSerializer INSTANCE = new SharedBytesSerializer();

    private static final long serialVersionUID = 1L;
    private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public byte[] createInstance() {
        return BYTES.createInstance();
    }

    @Override
    public byte[] copy(byte[] from) {
        return from;
    }

    @Override
    public byte[] copy(byte[] from, byte[] reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return BYTES.getLength();
    }

    @Override
    public void serialize(byte[] record, DataOutputView target) throws IOException {
        BYTES.serialize(record, target);
    }

    @Override
    public byte[] deserialize(DataInputView source) throws IOException {
        return BYTES.deserialize(source);
    }

    @Override
    public byte[] deserialize(byte[] reuse, DataInputView source) throws IOException {
        return BYTES.deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        BYTES.copy(source, target);
    }

    @Override
    public TypeSerializerSnapshot<byte[]> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Says that states which Flink's own serializer wrote can be read. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<byte[]> {
        /** Called by Flink. */
        public Snapshot() {
            super(() -> INSTANCE);
        }

        @Override
        public TypeSerializerSchemaCompatibility<byte[]> resolveSchemaCompatibility(
                TypeSerializerSnapshot<byte[]> former) {
            if (former
                    instanceof BytePrimitiveArraySerializer.BytePrimitiveArraySerializerSnapshot) {
                return TypeSerializerSchemaCompatibility.compatibleAsIs();
            }
            return super.resolveSchemaCompatibility(former);
        }
    }
}
