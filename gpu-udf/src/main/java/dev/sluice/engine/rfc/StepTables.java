package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.MemoryBudgetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of a reduction tree so far, against the budget of its image. Not thread-safe. */
final class StepTables {
    /**
     * One table of the tree.
     *
     * @param chunk the chunk that indexes it, together with the class of at most one input; null if
     *     only classes of earlier tables index it
     * @param inputs numbers of the tables whose classes index it, most significant first
     * @param strides what each input's class is multiplied with
     * @param entries class ids, or positions + 1 in the last table
     * @param classes distinct entries
     * @param name for reports only
     */
    record Step(
            @Nullable RfcChunk chunk,
            int[] inputs,
            int[] strides,
            int[] entries,
            int classes,
            String name) {
        /** Returns whether an entry takes 32 bits, not 16. */
        boolean wide() {
            return classes > 1 << 16;
        }

        /** Bytes of the table, uncompressed. */
        long plainBytes() {
            return (wide() ? 4L : 2L) * entries.length;
        }
    }

    /** Entries of a table at most; so many would exceed any budget. */
    static final long MOST_ENTRIES = 1L << 30;

    private final List<Step> steps = new ArrayList<>();
    private final RfcTarget target;
    private final BuildMeter meter;
    private long bytes;

    /** No tables yet. */
    StepTables(RfcTarget target, BuildMeter meter) {
        this.target = target;
        this.meter = meter;
    }

    /**
     * Adds a table.
     *
     * @return its number
     * @throws MemoryBudgetException if all pass the budget, and stay uncompressed
     */
    int add(
            String name,
            @Nullable RfcChunk chunk,
            int[] inputs,
            int[] strides,
            int[] table,
            int classes) {
        bytes += (long) table.length * (classes > 1 << 16 ? 4 : 2);
        if (!target.compressed() && bytes > meter.budgetBytes()) {
            throw new MemoryBudgetException(target.label(), bytes, meter.budgetBytes());
        }
        steps.add(new Step(chunk, inputs, strides, table, classes, name));
        return steps.size() - 1;
    }

    /**
     * Asks whether there is room for a table.
     *
     * @throws MemoryBudgetException if not
     */
    void require(long entries) {
        meter.require(RfcPart.tableBytes(entries));
        if (entries > MOST_ENTRIES) {
            throw new MemoryBudgetException(target.label(), 2 * entries, meter.budgetBytes());
        }
    }

    /**
     * Classes that a table may have.
     *
     * @param entries entries of the table
     * @param next classes that its own are combined with next
     */
    long mostClasses(long entries, int next) {
        long room = meter.room() / RfcPart.tableBytes(1) - entries;
        return Math.min(MOST_ENTRIES, room) / next;
    }

    /** Makes the exception for a table of more classes than {@link #mostClasses} says. */
    RuntimeException tooManyClasses(long entries, int next, long most) {
        require(entries + (most + 1) * next);
        return new IllegalStateException("classes beyond " + most + " are too many");
    }

    /** Describes the parts of each table: the same for rules that differ in little. */
    String shape() {
        StringBuilder shape = new StringBuilder();
        for (Step step : steps) {
            shape.append(step.chunk()).append(Arrays.toString(step.inputs()));
        }
        return shape.toString();
    }

    /** The tables, in the order in which they are read. */
    List<Step> steps() {
        return steps;
    }

    /** Bytes of the tables, uncompressed. */
    long bytes() {
        return bytes;
    }
}
