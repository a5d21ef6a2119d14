package dev.sluice.job.archive;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.flink.SerializedType;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serializer of pieces, used only if a cluster's configuration forbids the chain of source,
 * classifier and sinks. Within a task pieces are passed by reference.
 */
final class CapturePieceSerializer extends TypeSerializerSingleton<CapturePiece> {
    static final CapturePieceSerializer INSTANCE = new CapturePieceSerializer();

    /** Flink's type of pieces. */
    static final TypeInformation<CapturePiece> TYPE =
            new SerializedType<>(CapturePiece.class, INSTANCE);

    private static final long serialVersionUID = 1L;

    @Override
    public boolean isImmutableType() {
        return true; // no receiver keeps a piece
    }

    @Override
    public CapturePiece createInstance() {
        throw new UnsupportedOperationException("only readers of captures create pieces");
    }

    @Override
    public CapturePiece copy(CapturePiece from) {
        return from;
    }

    @Override
    public CapturePiece copy(CapturePiece from, CapturePiece reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(CapturePiece piece, DataOutputView target) throws IOException {
        piece.packets().writeTo(target);
        int judged = Math.min(piece.verdicts().length, piece.packets().headers().size());
        target.writeInt(judged);
        for (int i = 0; i < judged; i++) {
            target.writeInt(piece.verdicts()[i]);
        }
        CaptureEnd end = piece.end();
        target.writeBoolean(end != null);
        if (end != null) {
            target.writeUTF(end.kind().name());
            target.writeLong(end.offset());
            target.writeUTF(end.detail());
            target.writeLong(end.packets());
        }
    }

    @Override
    public CapturePiece deserialize(DataInputView source) throws IOException {
        CapturePiece piece = new CapturePiece(CaptureBatch.readFrom(source));
        int[] verdicts = new int[source.readInt()];
        for (int i = 0; i < verdicts.length; i++) {
            verdicts[i] = source.readInt();
        }
        piece.judged(verdicts);
        if (source.readBoolean()) {
            piece.end(
                    new CaptureEnd(
                            CaptureEnd.Kind.valueOf(source.readUTF()),
                            source.readLong(),
                            source.readUTF(),
                            source.readLong()));
        }
        return piece;
    }

    @Override
    public CapturePiece deserialize(CapturePiece reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<CapturePiece> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Snapshot of the only form. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<CapturePiece> {
        /** Creates a snapshot; called by Flink. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
