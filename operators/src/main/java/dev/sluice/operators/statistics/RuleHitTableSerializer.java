package dev.sluice.operators.statistics;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Serializer of tables of hits in state: length, and the packed rows in one array. Thread-safe. */
final class RuleHitTableSerializer extends TypeSerializerSingleton<RuleHitTable> {
    static final RuleHitTableSerializer INSTANCE = new RuleHitTableSerializer();

    private static final long serialVersionUID = 1L;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public RuleHitTable createInstance() {
        return new RuleHitTable();
    }

    @Override
    public RuleHitTable copy(RuleHitTable from) {
        return from.copy();
    }

    @Override
    public RuleHitTable copy(RuleHitTable from, RuleHitTable reuse) {
        return from.copy();
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(RuleHitTable table, DataOutputView target) throws IOException {
        byte[] rows = table.rows("", 0).pack(row -> row, 0, table.size());
        target.writeInt(rows.length);
        target.write(rows);
    }

    @Override
    public RuleHitTable deserialize(DataInputView source) throws IOException {
        byte[] rows = new byte[source.readInt()];
        source.readFully(rows);
        return RuleHitTable.of(HitRows.unpack("", 0, rows));
    }

    @Override
    public RuleHitTable deserialize(RuleHitTable reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<RuleHitTable> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Snapshot of the serializer's name. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<RuleHitTable> {
        /** Creates a snapshot; called by Flink. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
