package dev.sluice.job.archive;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/** What Flink is told of {@link CapturePiece}s. */
final class CapturePieceType extends TypeInformation<CapturePiece> {
    static final CapturePieceType INSTANCE = new CapturePieceType();

    private static final long serialVersionUID = 1L;

    private CapturePieceType() {}

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<CapturePiece> getTypeClass() {
        return CapturePiece.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<CapturePiece> createSerializer(SerializerConfig config) {
        return CapturePieceSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "CapturePiece";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CapturePieceType;
    }

    @Override
    public int hashCode() {
        return CapturePieceType.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof CapturePieceType;
    }
}
