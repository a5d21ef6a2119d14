package dev.sluice.engine.rfc;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.prefix.PrefixTables;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the tables of an {@link RfcReduction}, plain or as bitmaps. */
public final class RfcCompiler {
    /** The tuned form compresses no table if all together fit a processor's caches. */
    private static final long ALL_PLAIN_UP_TO_BYTES = 16L << 20;

    /**
     * The tuned form does not compress tables of up to so many bytes: they stay in a core's cache
     * anyway, and a bitmap would only cost time.
     */
    private static final long PLAIN_UP_TO_BYTES = 1536 << 10;

    /** Tables that do not compress well are not compressed either, up to so many bytes. */
    private static final long STUBBORN_UP_TO_BYTES = 12L << 20;

    private static final int SECTOR_WORDS = 8;

    private RfcCompiler() {}

    /**
     * Compiles a rule set.
     *
     * @param target which of the two algorithms writes the tables
     * @throws dev.sluice.engine.image.MemoryBudgetException if its tables pass the budget
     */
    static Image compile(RuleSet rules, CompileContext context, RfcTarget target) {
        return compile(rules, context, target, new KnownOrder(), null);
    }

    /**
     * Compiles a rule set as {@link #compile(RuleSet, CompileContext, RfcTarget)} does.
     *
     * @param known of the rules before these, if there were any; takes what these have
     * @param tables takes a line about each table, in the order in which they are read; null if
     *     nobody asks
     */
    static Image compile(
            RuleSet rules,
            CompileContext context,
            RfcTarget target,
            KnownOrder known,
            @Nullable Consumer<String> tables) {
        RfcForm form = context.get(RfcForm.OPTION);
        long budgetBytes = context.budgetBytes();
        RfcReduction reduction =
                RfcReduction.ofVerdicts(rules, form, target, context.meter(target.label()), known);
        WordWriter out = new WordWriter(target.label(), budgetBytes);
        // Reading a bitmap takes twice the instructions: it pays where it saves cache misses.
        boolean plain =
                !target.compressed()
                        || form == RfcForm.TUNED
                                && reduction.bytes()
                                        <= Math.min(ALL_PLAIN_UP_TO_BYTES, budgetBytes);
        int records = out.reserve((long) reduction.steps().size() * RfcLayout.RECORD);
        out.set(RfcLayout.STEPS_AT, records);
        out.set(RfcLayout.COUNT_AT, reduction.steps().size());
        for (int s = 0; s < reduction.steps().size(); s++) {
            StepTables.Step step = reduction.steps().get(s);
            int at = records + s * RfcLayout.RECORD;
            describe(out, at, step, rules.layout());
            int before = out.size();
            table(out, at, step, plain, form);
            if (tables != null) {
                tables.accept(TableFigures.line(step, 4L * (out.size() - before)));
            }
        }
        return Image.seal(out.toArray(), target.code(), rules.layout(), rules.size());
    }

    /**
     * Writes tables that map a header to a class of rules, and its addresses to numbers, for use
     * within another image.
     *
     * @param kinds rules that differ in the fields to be reduced: a class tells which of them hold
     * @param layout where the look-up finds the header words
     * @param meter counts what is done and held
     * @throws dev.sluice.engine.image.MemoryBudgetException if the class tables pass the budget
     */
    public static ClassTables writeClasses(
            WordWriter out,
            RuleSet kinds,
            HeaderLayout layout,
            List<PrefixTables> addresses,
            BuildMeter meter) {
        RfcReduction reduction =
                new RfcReduction(kinds, RfcForm.EXACT, RfcTarget.PLAIN, meter, new KnownOrder());
        long[][] classes = reduction.classes();
        int[] results = new int[1 + addresses.size()];
        results[0] = reduction.steps().size() - 1;
        for (int a = 0; a < addresses.size(); a++) {
            results[a + 1] = reduction.addLevels(addresses.get(a));
        }
        int records = out.reserve((long) reduction.steps().size() * RfcLayout.RECORD);
        for (int s = 0; s < reduction.steps().size(); s++) {
            int at = records + s * RfcLayout.RECORD;
            describe(out, at, reduction.steps().get(s), layout);
            table(out, at, reduction.steps().get(s), true, RfcForm.EXACT);
        }
        return new ClassTables(records, reduction.steps().size(), out.size(), results, classes);
    }

    /**
     * Tables from headers to classes within an image.
     *
     * @param records offset of the records of the steps
     * @param steps number of steps
     * @param end where the last table ends
     * @param results step that gives the class, then those that give the addresses' numbers
     * @param rules rules of each class, 64 a word
     */
    public record ClassTables(int records, int steps, int end, int[] results, long[][] rules) {}

    private static void describe(
            WordWriter out, int at, StepTables.Step step, HeaderLayout layout) {
        RfcChunk chunk = step.chunk();
        if (chunk != null) {
            out.set(at + RfcLayout.KIND, RfcLayout.CHUNK);
            out.set(
                    at + RfcLayout.POSITION,
                    chunk.size() == 1 ? RfcLayout.NO_POSITION : layout.position(chunk.word()));
            out.set(at + RfcLayout.SHIFT, chunk.shift());
            out.set(at + RfcLayout.MASK, chunk.lowerMask());
            out.set(at + RfcLayout.UPPER_SHIFT, chunk.upperShift());
            out.set(at + RfcLayout.UPPER_MASK, chunk.upperMask());
            out.set(at + RfcLayout.LOWER_BITS, chunk.bits());
            out.set(at + RfcLayout.ABOVE, step.inputs().length == 0 ? 0 : step.inputs()[0] + 1);
        } else {
            out.set(at + RfcLayout.KIND, step.inputs().length);
            for (int i = 0; i < step.inputs().length; i++) {
                int input = at + i * RfcLayout.INPUT;
                out.set(input + RfcLayout.FIRST_STEP, step.inputs()[i]);
                out.set(input + RfcLayout.FIRST_STRIDE, step.strides()[i]);
            }
        }
    }

    /** The form of a table's pieces, null if it stays plain. */
    private static BitmapTable.@Nullable Form pieces(
            StepTables.Step step, boolean plain, RfcForm form) {
        // As in the paper: what comes in from chunks are the rules' own values, which lie where a
        // chunk's table has most runs.
        if (plain || step.chunk() != null) {
            return null;
        }
        boolean wide = step.wide();
        long bytes = step.plainBytes();
        BitmapTable bitmap = new BitmapTable(step.entries());
        return switch (form) {
            case PAPER, EXACT -> BitmapTable.paperForm(wide);
            case COMPRESSED -> {
                BitmapTable.Form best = bitmap.best(wide);
                yield 4 * bitmap.size(best, wide).words() < bytes ? best : null;
            }
            case TUNED -> {
                if (bytes <= PLAIN_UP_TO_BYTES) {
                    yield null;
                }
                BitmapTable.Form best = bitmap.best(wide);
                boolean stubborn =
                        bytes <= STUBBORN_UP_TO_BYTES && !bitmap.compressesWell(best, wide);
                yield stubborn ? null : best;
            }
        };
    }

    private static void table(
            WordWriter out, int at, StepTables.Step step, boolean plain, RfcForm form) {
        BitmapTable.Form pieces = pieces(step, plain, form);
        if (pieces == null) {
            plain(out, at, step);
        } else {
            bitmap(out, at, step, pieces, form);
        }
    }

    private static void plain(WordWriter out, int at, StepTables.Step step) {
        int[] entries = step.entries();
        boolean wide = step.wide();
        out.set(at + RfcLayout.MODE, wide ? RfcLayout.PLAIN_32 : RfcLayout.PLAIN_16);
        int table = wide ? out.append(entries, 1) : out.reserve((entries.length + 1L) / 2);
        out.set(at + RfcLayout.TABLE, table);
        if (wide) {
            return;
        }
        for (int i = 0; i < entries.length; i += 2) {
            int upper = i + 1 < entries.length ? entries[i + 1] << 16 : 0;
            out.set(table + (i >>> 1), entries[i] | upper);
        }
    }

    private static void bitmap(
            WordWriter out, int at, StepTables.Step step, BitmapTable.Form pieces, RfcForm form) {
        boolean sectors = form == RfcForm.TUNED || form == RfcForm.COMPRESSED;
        int align = sectors ? Math.min(SECTOR_WORDS, pieces.words()) : 1;
        int[] offsets = new BitmapTable(step.entries()).write(out, pieces, step.wide(), align);
        describe(out, at, pieces, step.wide(), offsets);
    }

    /**
     * The record's part about a table in pieces.
     *
     * @param offsets of the first piece and of the accessory table
     */
    static void describe(
            WordWriter out, int at, BitmapTable.Form pieces, boolean wide, int[] offsets) {
        out.set(at + RfcLayout.MODE, RfcLayout.BITMAP);
        out.set(at + RfcLayout.TABLE, offsets[0]);
        out.set(at + RfcLayout.ACCESSORY, offsets[1]);
        out.set(at + RfcLayout.PIECE_BITS, pieces.bits());
        out.set(at + RfcLayout.PIECE_WORDS, pieces.words());
        out.set(at + RfcLayout.ELEMENTS, pieces.elements());
        out.set(at + RfcLayout.WIDE, wide ? 1 : 0);
    }
}
