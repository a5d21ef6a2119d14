package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.Connection.Opening;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.java.tuple.Tuple2;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a batch that rows of connections tell beside its headers, and the rows that were told
 * since the last batch. Used by the worker, and by the mailbox thread while no batch is in flight.
 */
final class BatchFacts {
    private final ConnectionOutput options;
    private int[] lengths = {};
    private long[] numbers = {};
    private int[] in = {};
    private int[] out = {};
    private @Nullable ServedVersion rules;
    private String capture = "";
    private List<Tuple2<byte[], byte[]>> told = new ArrayList<>();
    private volatile long rows;

    BatchFacts(ConnectionOutput options) {
        this.options = options;
    }

    long intervalNanos() {
        return options.intervalNanos();
    }

    /** Reads the facts of a batch. */
    void read(MicroBatch batch) {
        rules = batch.rules();
        if (lengths.length < batch.size()) {
            lengths = new int[batch.headers.capacity()];
            numbers = new long[batch.headers.capacity()];
            in = new int[options.interfaces().isEmpty() ? 0 : lengths.length];
            out = in.clone();
        }
        int at = 0;
        for (MicroBatch.Part part : batch.parts) {
            PacketBlock block = part.block().block;
            copy(Column.FRAME_LENGTH, part, lengths, at);
            if (in.length > 0) {
                copy(HeaderWord.IN_INTERFACE, part, in, at);
                copy(HeaderWord.OUT_INTERFACE, part, out, at);
            }
            Column number = block.column(Column.PACKET);
            if (number == null) {
                Arrays.fill(numbers, at, at + part.count(), 0);
            } else {
                number.copyLongs(part.from(), part.count(), numbers, at);
            }
            at += part.count();
        }
    }

    private static void copy(int id, MicroBatch.Part part, int[] to, int at) {
        Column column = part.block().block.column(id);
        if (column == null) {
            Arrays.fill(to, at, at + part.count(), 0);
        } else {
            column.copyWords(part.from(), part.count(), to, at);
        }
    }

    /** Sets the block whose packets are judged next. */
    void of(PacketBlock block) {
        capture = block.capture();
    }

    int length(int at) {
        return lengths[at];
    }

    long number(int at) {
        return numbers[at];
    }

    /** Returns the verdict on a packet of the block that is judged. */
    Opening opening(int at, int verdict) {
        ServedVersion by = Objects.requireNonNull(rules);
        Rule rule = verdict == VerdictBatch.MISS ? null : by.rule(verdict);
        return new Opening(
                capture,
                interfaceName(at),
                by.outcome(verdict),
                rule == null ? null : rule.id(),
                rule == null || rule.line() == 0 ? null : rule.line(),
                rule == null ? by.defaultAction() : rule.action(),
                rule == null ? "" : rule.text(),
                by.version(),
                by.history());
    }

    private String interfaceName(int at) {
        if (in.length == 0) {
            return "";
        }
        String name = options.interfaceName(in[at]);
        return name.isEmpty() ? options.interfaceName(out[at]) : name;
    }

    /** Takes a row. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time writes
    void tell(Connection row) {
        told.add(Tuple2.of(row.key(), options.form().message(row)));
        rows++;
    }

    /** Returns the keys and messages of the rows since the last call. */
    List<Tuple2<byte[], byte[]>> take() {
        List<Tuple2<byte[], byte[]>> all = told;
        told = new ArrayList<>();
        return all;
    }

    /** Returns the number of rows since the task began; may be read by any thread. */
    long rows() {
        return rows;
    }
}
