package dev.sluice.engine.crossproduct.lists;

import dev.sluice.engine.crossproduct.cells.SortedCells;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.NumberedLists;
import java.util.Arrays;
import java.util.List;

/**
 * The distinct lists of rules of all cells, with a number for each. A rule behind another one of
 * its kind is left out, since it never is the first to match, and so is what follows a rule that
 * holds for all other fields. Not thread-safe: one instance a build.
 */
public final class CellLists {
    private final BuildMeter meter;
    private final int[] kindOf;
    private final int anyKind;
    private final NumberedLists lists;

    /** For each kind the last list, by the number of calls, that has a rule of it. */
    private final int[] lastListOf;

    private int calls;

    /**
     * No lists yet.
     *
     * @param kindOf kind of each rule
     * @param anyKind the kind that holds in every class, -1 if there is none
     */
    public CellLists(int[] kindOf, int anyKind, BuildMeter meter) {
        this.kindOf = kindOf;
        this.anyKind = anyKind;
        this.meter = meter;
        this.lists = new NumberedLists(meter);
        this.lastListOf = new int[Arrays.stream(kindOf).max().orElse(-1) + 1];
    }

    /** Takes the lists of a group's cells; returns the number of each cell's list. */
    public int[] numbersOf(SortedCells cells) {
        int[] numbers = new int[cells.count()];
        int n = 0;
        for (int i = 0; i < cells.entries(); n++) {
            int to = cells.endOfCell(i);
            numbers[n] = number(cells, i, to);
            i = to;
        }
        return numbers;
    }

    private int number(SortedCells cells, int from, int to) {
        meter.work(to - from);
        int[] kept = new int[to - from];
        int n = 0;
        calls++;
        for (int i = from; i < to; i++) {
            int r = cells.position(i);
            if (lastListOf[kindOf[r]] == calls) {
                continue; // a better rule of the list matches whatever this one does
            }
            lastListOf[kindOf[r]] = calls;
            kept[n++] = r;
            if (kindOf[r] == anyKind) {
                break;
            }
        }
        return lists.number(kept, 0, n);
    }

    /** Number of lists. */
    int count() {
        return lists.count();
    }

    /** A list: positions of rules, ascending. */
    int[] list(int number) {
        return lists.list(number);
    }

    /** The kinds of a list's rules. */
    List<Integer> kindsOf(int[] list) {
        return Arrays.stream(list).mapToObj(r -> kindOf[r]).toList();
    }
}
