package dev.sluice.engine.crossproduct.model;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.ImageLayout;

/**
 * Own words of a crossproduct image, and the words of its records.
 *
 * <pre>
 * own words  head
 * head       steps | their number | their end | step of the class | source | destination
 *            | groups | their number | patterns | their end | entries of a pattern | lists
 *            | list bits | cell bits | form of lists | position of the ports
 *            | rules that catch all | flags of lists
 * address    form | at | position | parents | rows | words a row
 * group      cells | form or mask | best | width | source's and destination's word, shift, mask
 * cell       direct, mapped: a word; hashed: key's lower bits, key's upper bits . cell; listed: the
 *            other address's number, its sign bit set on the last | cell
 * map        a bit for each pair of prefixes, 32 of one source a word | number of their first cell
 * list       by kind: (row of the kind, position) a rule, the last position marked by its sign bit
 *            by class: the best position for each of some classes
 *            by service: the best position | the first service of each interval, in place of the
 *            first one's their number | for each interval a position or ~offset of a chain
 *            | if divided, offset of the list of the other rules, by source port
 * index      before such a list: for each part of the services, backwards, the last interval that
 *            begins before its end | the last part, shift | first service of the first part
 * chain      (the other ports, position) a rule, the last position marked
 * </pre>
 */
public final class CrossproductLayout {
    /** Label of the algorithm. */
    public static final String LABEL = "pairs";

    /** Offset of the head record. */
    public static final int HEAD_AT = ImageLayout.OWN_AT;

    // Head: tables that reduce the header, and the step that holds the class.
    public static final int STEPS = 0;
    public static final int STEP_COUNT = 1;
    public static final int STEPS_END = 2;
    public static final int CLASS_STEP = 3;

    /** Records of the source and the destination address. */
    public static final int AXES = 4;

    /** Size of an address's record in words. */
    public static final int AXIS = 6;

    /** {@link #LEVELS}, {@link #TRIE} or {@link #RANGES}. */
    public static final int FORM = 0;

    /** The step that holds the prefix, the trie's root, or the root of the ranges. */
    public static final int AT = 1;

    /** Position of the address's first word in a header. */
    public static final int POSITION = 2;

    /** Parents of the prefixes of ranges; what the trie's addresses are compared with. */
    public static final int PARENTS = 3;

    /** A row for what was found: the number of the longest prefix around in each group. */
    public static final int ROWS = 4;

    /** Size of a row in words: 1, 2, 4 or 8. */
    public static final int ROW_WORDS = 5;

    public static final int LEVELS = 0;
    public static final int TRIE = 1;
    public static final int RANGES = 2;

    /** Records of the groups, and their number. */
    public static final int GROUPS = AXES + 2 * AXIS;

    public static final int GROUP_COUNT = GROUPS + 1;

    /** Rows of 16-bit entries, a row a pattern, a class a column; 0 in other forms of lists. */
    public static final int PATTERNS = GROUPS + 2;

    public static final int PATTERNS_END = GROUPS + 3;

    /** Entries of a pattern's row. */
    public static final int PATTERN_ENTRIES = GROUPS + 4;

    /** Positions of the lists of several rules. */
    public static final int LISTS = GROUPS + 5;

    /** Lower bits of a cell that name its list; those above name its pattern. */
    public static final int LIST_BITS = GROUPS + 6;

    /** Lower bits of a keyed cell's second word that are the cell; those above are its key's. */
    public static final int CELL_BITS = GROUPS + 7;

    /** Form of what cells name: one of the forms below. */
    public static final int LIST_FORM = GROUPS + 8;

    /** Position of the ports in a header, where lists are searched by service. */
    public static final int PORTS_POSITION = GROUPS + 9;

    /**
     * For each class the best position of a rule that holds there for all addresses and ports, or
     * {@link #NO_RULE}. Such rules have no cells.
     */
    public static final int CATCH_ALLS = GROUPS + 10;

    /** Flags of the lists that are searched by service: {@link #DIVIDED}, {@link #INDEXED}. */
    public static final int LIST_FLAGS = GROUPS + 11;

    public static final int HEAD = GROUPS + 12;

    /** Cells name a pattern and a list. */
    public static final int BY_PATTERN = 0;

    /** Cells name lists that are tested rule by rule. */
    public static final int BY_KIND = 1;

    /** A cell for each pair of prefixes and {@link #PIECE} classes names a row of best rules. */
    public static final int BY_CLASS = 2;

    /** Cells name intervals of services. */
    public static final int BY_SERVICE = 3;

    /** Size of a group's record in words. */
    public static final int RECORD = 13;

    public static final int CELLS = 0;

    /**
     * {@link #DIRECT}, {@link #LISTED_BY_SOURCE}, {@link #LISTED_BY_DESTINATION} or {@link
     * #HASHED}.
     */
    public static final int GROUP_FORM = 1;

    /** Cells of a plain table. */
    public static final int DIRECT = 0;

    /** Lists of cells, which the source's rows name. */
    public static final int LISTED_BY_SOURCE = 1;

    /** Lists of cells, which the destination's rows name. */
    public static final int LISTED_BY_DESTINATION = 2;

    /** Cells at places that a seed of their bucket tells. */
    public static final int HASHED = 3;

    /** Cells of the pairs that have one, in the order of a bit map. */
    public static final int MAPPED = 4;

    /** Best position in the group. */
    public static final int BEST = 2;

    /**
     * Cells a source of a direct group; bits of a destination in the keys of a hashed one; entries
     * of a mapped one's map a source.
     */
    public static final int WIDTH = 3;

    /** A hashed group's seeds, 16 bits a bucket. */
    public static final int SEEDS = 4;

    /** In place of these, a mapped group's map. */
    public static final int MAP = 4;

    /** {@code CellPlaces#shift} of a hashed group. */
    public static final int BUCKET_SHIFT = 5;

    /** A hashed group's places. */
    public static final int PLACES = 6;

    /** In place of these, of rows of verdicts: cells a pair of prefixes. */
    public static final int PIECES = 6;

    /**
     * Bits of rows that hold the group's prefix: word, shift and mask, for source and destination.
     */
    public static final int FIELDS = 7;

    /** Size of a field's place in words. */
    public static final int FIELD = 3;

    /** Word of a row. */
    public static final int FIELD_WORD = 0;

    public static final int FIELD_SHIFT = 1;
    public static final int FIELD_MASK = 2;

    // An entry of a map.
    /** Pairs that have a cell: a bit for each. */
    public static final int MAP_BITS = 0;

    /** Number, from 1 on, of the first cell of these. The word before all cells is 0, for none. */
    public static final int MAP_FIRST = 1;

    /** Size of an entry in words. */
    public static final int MAP_ENTRY = 2;

    /** Log2 of the pairs of an entry. */
    public static final int MAP_SHIFT = 5;

    // A cell that is no plain table's.
    /** The key's lower bits, or the other address's number. */
    public static final int CELL_KEY = 0;

    /** The cell; in a hashed group above it the key's upper bits. */
    public static final int CELL_NAMED = 1;

    /** Size of such a cell in words. */
    public static final int KEYED_CELL = 2;

    // A rule of a list that is tested rule by rule.
    /** Offset of the row of the rule's kind. */
    public static final int LIST_ROW = 0;

    public static final int LIST_POSITION = 1;

    /** Size of such a rule in words. */
    public static final int LISTED = 2;

    public static final int PIECE_BITS = 3;

    /** Classes of a row of verdicts. */
    public static final int PIECE = 1 << PIECE_BITS;

    // A list that is searched by service: the best position of all its rules, then the services at
    // which its intervals begin, ascending, then what each of them names: the best position,
    // NO_RULE, or ~ the offset of a chain.
    public static final int BEST_OF_LIST = 0;

    /**
     * First service of the first interval. None lies before, so their number stands there, and
     * flags above it.
     */
    public static final int INTERVALS = 1;

    /** Of the word of their number, those bits that are the number. */
    public static final int INTERVAL_COUNT = (1 << 30) - 1;

    /** Set there: behind all of them stands the offset of a list by source port. */
    public static final int DIVIDED = 1 << 30;

    /** Set there: an index stands before the list. */
    public static final int INDEXED = Integer.MIN_VALUE;

    // An index, in words before its list: services are divided into parts of equal size.
    /** First service of the first part. */
    public static final int PARTS_FROM = 1;

    /** Number of the last part; above it log2 of a part's services. */
    public static final int PARTS_SHAPE = 2;

    /** 0, and before it for each part the last interval that begins before the part's end. */
    public static final int PARTS_BEFORE = 3;

    public static final int PARTS_SHIFT_AT = 26;
    public static final int LAST_PART = (1 << PARTS_SHIFT_AT) - 1;

    /** A service: the class above so many bits of a port. */
    public static final int SERVICE_SHIFT = 16;

    // A rule of a chain.
    /** Range of the port that is not the list's, the lowest one in the upper half. */
    public static final int LINK_PORTS = 0;

    public static final int LINK_POSITION = 1;

    /** Size of such a rule in words. */
    public static final int LINK = 2;

    /** In place of a position: no rule. */
    public static final int NO_RULE = Integer.MAX_VALUE;

    /** Position in a list, or number in a listed cell's key. */
    public static final int UNMARKED = Integer.MAX_VALUE;

    /** Set in the last of a list. */
    public static final int LAST = Integer.MIN_VALUE;

    /** Bucket of a cell. */
    public static int bucket(int source, int destination, int shift) {
        int h = source * HashMultipliers.GOLDEN ^ destination * HashMultipliers.FINISH_1;
        return h * HashMultipliers.FINISH_2 >>> shift;
    }

    /** Place of a cell of a bucket with a seed. */
    public static int place(int source, int destination, int seed, int places) {
        int h =
                source * HashMultipliers.GOLDEN
                        ^ (destination ^ seed * HashMultipliers.FINISH_1)
                                * HashMultipliers.FINISH_2;
        h = (h ^ h >>> 15) * HashMultipliers.WORD;
        return (int) ((h & 0xffff_ffffL) * places >>> 32);
    }

    private CrossproductLayout() {}
}
