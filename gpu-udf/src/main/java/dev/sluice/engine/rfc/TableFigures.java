package dev.sluice.engine.rfc;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one table of a reduction tree, for studies and users.
 *
 * @param name chunk, X, address, verdict and the like
 * @param entries entries of the uncompressed table
 * @param classes distinct entries
 * @param plainBytes size of the uncompressed table
 * @param writtenBytes size as it was written
 * @param pieceEntries entries of a piece as it was written, 0 if the table stayed plain
 * @param accessoryEntries values in the accessory table as it was written
 * @param paperAccessoryEntries the same in the paper's pieces of 32 entries and eight elements
 * @param paperAccessoryPieces pieces of the paper's form that use the accessory table
 * @param piecesOf1 pieces of 32 entries that are one run
 * @param piecesOf2To8 pieces of 32 entries that have two to eight runs
 * @param pieces pieces of 32 entries
 */
public record TableFigures(
        String name,
        int entries,
        int classes,
        long plainBytes,
        long writtenBytes,
        int pieceEntries,
        long accessoryEntries,
        long paperAccessoryEntries,
        int paperAccessoryPieces,
        int piecesOf1,
        int piecesOf2To8,
        int pieces) {

    /** Figures of a table that was written in a form, or plain where there is none. */
    static TableFigures of(StepTables.Step step, Written written) {
        BitmapTable bitmap = new BitmapTable(step.entries());
        boolean wide = step.wide();
        BitmapTable.Size paper = bitmap.size(BitmapTable.paperForm(wide), wide);
        BitmapTable.Form form = written.pieces();
        int[] histogram = bitmap.histogram(5);
        return new TableFigures(
                step.name(),
                step.entries().length,
                step.classes(),
                step.plainBytes(),
                written.bytes(),
                form == null ? 0 : 1 << form.bits(),
                form == null ? 0 : bitmap.size(form, wide).accessoryEntries(),
                paper.accessoryEntries(),
                paper.accessoryPieces(),
                histogram[1],
                Arrays.stream(histogram, 2, 9).sum(),
                paper.pieces());
    }

    /** As a line of text. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%-8s %,12d entries %,9d classes  plain %,13d B  written %,13d B  runs a piece of 32: 1 in %d, 2 to 8 in %d, more in %d of %d pieces; %.2f %% of entries in accessory tables (paper's form)",
                name,
                entries,
                classes,
                plainBytes,
                writtenBytes,
                piecesOf1,
                piecesOf2To8,
                paperAccessoryPieces,
                pieces,
                100.0 * paperAccessoryEntries / Math.max(1, entries));
    }

    /**
     * How a table was written.
     *
     * @param pieces null if it is plain
     * @param bytes its size
     */
    record Written(BitmapTable.@Nullable Form pieces, long bytes) {}
}
