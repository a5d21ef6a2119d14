package dev.sluice.engine.rfc;

import java.util.Arrays;
import java.util.Locale;

/** Figures of the tables of a reduction tree, for studies and users. */
final class TableFigures {
    private TableFigures() {}

    /**
     * Figures of one table as a line of text: its runs in pieces of 32 entries, and the entries
     * that the paper's form with eight elements a piece keeps in accessory tables.
     *
     * @param writtenBytes size as it was written
     */
    static String line(StepTables.Step step, long writtenBytes) {
        BitmapTable bitmap = new BitmapTable(step.entries());
        boolean wide = step.wide();
        BitmapTable.Size paper = bitmap.size(BitmapTable.paperForm(wide), wide);
        int[] histogram = bitmap.histogram(5);
        return String.format(
                Locale.ROOT,
                "%-8s %,12d entries %,9d classes  plain %,13d B  written %,13d B  runs a piece of 32: 1 in %d, 2 to 8 in %d, more in %d of %d pieces; %.2f %% of entries in accessory tables (paper's form)",
                step.name(),
                step.entries().length,
                step.classes(),
                step.plainBytes(),
                writtenBytes,
                histogram[1],
                Arrays.stream(histogram, 2, 9).sum(),
                paper.accessoryPieces(),
                paper.pieces(),
                100.0 * paper.accessoryEntries() / Math.max(1, step.entries().length));
    }
}
