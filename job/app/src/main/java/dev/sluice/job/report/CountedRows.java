package dev.sluice.job.report;

import dev.sluice.job.read.VerdictRow;
import dev.sluice.job.table.RowsOut;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.header.Field;

/** Rows of verdicts that are counted in place of printed. Not thread-safe. */
public final class CountedRows implements RowsOut<VerdictRow> {
    private static final PacketField LENGTH = PacketField.of(Field.FRAME_LENGTH);

    private final PacketCounts<RuleLabel> counts;
    private long left;
    private boolean isTold;

    /**
     * A counter.
     *
     * @param limit most rows
     */
    public CountedRows(PacketCounts<RuleLabel> counts, long limit) {
        this.counts = counts;
        left = limit;
    }

    @Override
    public boolean row(VerdictRow row) {
        isTold |= row.tellsAddresses() || row.fields().containsKey(PacketField.IP_SRC);
        Integer line = row.rule().line();
        RuleLabel rule =
                new RuleLabel(line == null ? 0 : line, row.action(), row.rule().text().strip());
        Object length = row.fields().get(LENGTH);
        counts.add(
                counts.rule(rule),
                row.fields()::get,
                length instanceof Integer bytes ? Integer.toUnsignedLong(bytes) : 0,
                row.timeNs());
        return --left > 0;
    }

    @Override
    public boolean flush() {
        return left > 0;
    }

    /** Number of rows if their messages lack the addresses that are asked for; else 0. */
    public long withoutAddress() {
        return isTold || !counts.asksPackets() ? 0 : counts.packets();
    }
}
