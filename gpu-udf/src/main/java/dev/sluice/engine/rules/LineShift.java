package dev.sluice.engine.rules;

import java.util.List;

/**
 * How the lines of a run of rules move from one version to the next. Immutable.
 *
 * <p>A list of shifts, ascending in {@code from}, says how all lines move: a rule moves by the last
 * shift whose {@code from} is not greater than its line in the version before. Lines before the
 * first shift stay, and so does line 0, which stands for none.
 *
 * @param from first line of the run, as of the version before, from 1
 * @param by lines that it moves down, or up if negative
 */
public record LineShift(int from, int by) {
    /**
     * The list if its runs are in order.
     *
     * @throws IllegalArgumentException if they are not ascending from 1
     */
    static List<LineShift> requireAscending(List<LineShift> shifts) {
        int last = 0;
        for (LineShift shift : shifts) {
            if (shift.from <= last) {
                throw new IllegalArgumentException(
                        "line shifts must ascend from line 1; %d follows %d"
                                .formatted(shift.from, last));
            }
            last = shift.from;
        }
        return shifts;
    }

    /** The line after shifts of a line before them. */
    public static int shifted(List<LineShift> shifts, int line) {
        int low = 0;
        int high = shifts.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (shifts.get(middle).from <= line) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 || line == 0 ? line : line + shifts.get(low - 1).by;
    }
}
