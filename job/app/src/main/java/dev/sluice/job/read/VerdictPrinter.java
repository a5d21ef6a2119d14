package dev.sluice.job.read;

import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.table.RowsOut;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.io.PrintWriter;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Printer of the rows of messages, which names messages that cannot be read. */
public final class VerdictPrinter implements TopicScan.Visitor {
    private final VerdictRows rows;
    private final VerdictFilter filter;
    private final RowsOut<VerdictRow> out;
    private final PrintWriter err;
    private final BooleanSupplier ended;
    private long unreadable;

    /**
     * A printer.
     *
     * @param ended whether nothing more is to be printed
     */
    public VerdictPrinter(
            VerdictRows rows,
            VerdictFilter filter,
            RowsOut<VerdictRow> out,
            PrintWriter err,
            BooleanSupplier ended) {
        this.ended = ended;
        this.rows = rows;
        this.filter = filter;
        this.out = out;
        this.err = err;
    }

    @Override
    public boolean take(ConsumerRecord<byte[], byte[]> message) {
        if (ended.getAsBoolean()) {
            return false;
        }
        byte[] value = message.value() == null ? new byte[0] : message.value();
        try {
            return rows.visit(value, this::print);
        } catch (MalformedMessageException e) {
            unreadable++;
            err.printf(
                    "sluice: offset %d of partition %d of %s: %s: %s%n",
                    message.offset(), message.partition(), message.topic(), e.reason(), e.detail());
            String held = rows.heldInstead();
            if (held == null) {
                return true;
            }
            err.printf(
                    "sluice: and more; %s holds %s: check --verdicts-topic%n",
                    message.topic(), held);
            return false;
        }
    }

    private boolean print(VerdictRow row) {
        return !filter.chooses(row) || out.row(row);
    }

    @Override
    public boolean pause() {
        return out.flush() && !ended.getAsBoolean();
    }

    /** Messages that could not be read. */
    public long unreadable() {
        return unreadable;
    }
}
