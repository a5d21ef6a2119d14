package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.cells.CellGroup;
import dev.sluice.engine.crossproduct.cells.CellSearch;
import dev.sluice.engine.crossproduct.cells.GroupCells;
import dev.sluice.engine.crossproduct.lists.CrossproductLists;
import dev.sluice.engine.crossproduct.lists.ListSearch;
import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcTables;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Looks a block of headers up phase by phase: the prefixes of both addresses, the class of the
 * other fields, then for each group its cells and their lists. Where a branch would often be
 * mispredicted, a header is appended to a list or not ({@link Branchless}). Thread-safe.
 */
public final class CrossproductClassifier extends CompiledClassifier {
    /** Code of the algorithm in images. */
    static final int CODE = 13;

    private static final int BLOCK = RfcTables.BLOCK;

    private final RfcTables tables;
    private final int classStep;
    private final AddressRows source;
    private final AddressRows destination;
    private final CellSearch[] groups;
    private final ListSearch lists;

    /** Null where cells name lists. */
    private final @Nullable VerdictMatrixSearch matrix;

    private final int catchAlls;

    /** A classifier over an image of this algorithm. */
    public CrossproductClassifier(Image image) {
        super(image);
        int head = words[CrossproductLayout.HEAD_AT];
        tables =
                new RfcTables(
                        words,
                        words[head + CrossproductLayout.STEPS],
                        words[head + CrossproductLayout.STEP_COUNT],
                        words[head + CrossproductLayout.STEPS_END]);
        classStep = words[head + CrossproductLayout.CLASS_STEP];
        source = new AddressRows(words, head + CrossproductLayout.AXES);
        destination =
                new AddressRows(words, head + CrossproductLayout.AXES + CrossproductLayout.AXIS);
        int cellBits = words[head + CrossproductLayout.CELL_BITS];
        int records = words[head + CrossproductLayout.GROUPS];
        groups = new CellSearch[words[head + CrossproductLayout.GROUP_COUNT]];
        Arrays.setAll(
                groups,
                g -> GroupCells.open(words, records + g * CrossproductLayout.RECORD, cellBits));
        lists = CrossproductLists.open(words, head, image.rules());
        boolean byClass = words[head + CrossproductLayout.LIST_FORM] == CrossproductLayout.BY_CLASS;
        matrix = byClass ? new VerdictMatrixSearch(words, CellGroup.at(words, records)) : null;
        catchAlls = words[head + CrossproductLayout.CATCH_ALLS];
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        CrossproductScratch scratch = CrossproductScratch.OF_THREAD.get();
        scratch.rows(source.rowWords(), destination.rowWords());
        int[] h = headers.words();
        int capacity = headers.capacity();
        VerdictMatrixSearch byClass = matrix;
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            int[][] steps = tables.read(h, capacity, from, n);
            source.rows(h, capacity, from, n, steps, scratch, scratch.source);
            destination.rows(h, capacity, from, n, steps, scratch, scratch.destination);
            int[] classes = steps[classStep];
            if (byClass != null) {
                byClass.read(classes, n, scratch);
                verdicts(scratch.at, n, verdicts, from);
                continue;
            }
            lists.begin(h, capacity, from, n, classes, scratch);
            int[] best = scratch.best;
            for (int i = 0; i < n; i++) {
                best[i] = words[catchAlls + classes[i]];
                scratch.alive[i] = i;
            }
            int alive = n;
            for (int g = 0; g < groups.length; g++) {
                int found = groups[g].find(alive, n, scratch);
                alive = scratch.left;
                lists.search(found, g == 0, classes, scratch);
            }
            verdicts(best, n, verdicts, from);
        }
    }

    private static void verdicts(int[] positions, int n, int[] verdicts, int from) {
        for (int i = 0; i < n; i++) {
            int position = positions[i];
            verdicts[from + i] =
                    position == CrossproductLayout.NO_RULE ? VerdictBatch.MISS : position;
        }
    }
}
