package dev.sluice.engine.prefix;

/**
 * Layout of the tables of {@link LengthSearch} in words, for n lengths that occur.
 *
 * <pre>
 * record  n | n lengths | n tables | n numbers of entries, less 1 | result without any, + 1
 * table   entries, a power of two; from a prefix's hash on to the first free one
 * entry   four words of the prefix | 1 + its best result | 1 where used, 0 where free | 0 | 0
 * </pre>
 */
final class LengthSearchLayout {
    /** Number of lengths. */
    static final int COUNT = 0;

    /** The lengths; behind them the tables, the numbers of their entries less 1, and the result. */
    static final int LENGTHS = 1;

    // Lists behind the lengths: offsets in units of the number of lengths.
    /** The tables' offsets are the first list behind the lengths. */
    static final int TABLES = 1;

    /** The second list: numbers of slots, less 1. */
    static final int MASKS = 2;

    /** Behind the second list: the result of addresses that no prefix covers, + 1. */
    static final int REST = 3;

    /** Best result of a prefix or marker, + 1. */
    static final int RESULT = 4;

    /** 1 in an entry that is used. */
    static final int USED = 5;

    /** Size of an entry in words, and divisor of its offset. */
    static final int ENTRY = 8;

    /** Offset of the tables' offsets. */
    static int tables(int record, int count) {
        return record + LENGTHS + TABLES * count;
    }

    /** Offset of the numbers of entries, less 1. */
    static int masks(int record, int count) {
        return record + LENGTHS + MASKS * count;
    }

    /** Offset of the result of addresses that no prefix covers, + 1. */
    static int rest(int record, int count) {
        return record + LENGTHS + REST * count;
    }

    private LengthSearchLayout() {}
}
