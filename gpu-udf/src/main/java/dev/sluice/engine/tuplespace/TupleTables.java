package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tuple space in memory that is an image at every moment: rules in rows, tuples with a cuckoo
 * table each, and the order in which look-ups go through the tuples. An algorithm writes a rule's
 * row ({@link #writeRow}), chooses or opens a tuple whose mask the rule's mask contains, and puts
 * the row there ({@link #put}). Rules are named by slots, numbers that the caller gives out. Not
 * thread-safe.
 */
public final class TupleTables {
    /**
     * How a tuple space is built.
     *
     * @param load keys a cell at which a table grows, at most 0.9
     * @param rehashes other hash constants that are tried before keys go to the stash; 0: tables
     *     keep their first ones
     */
    public record Settings(double load, int rehashes) {
        /** One tuple a mask, tables up to 90 % full. */
        public static final Settings DENSE = new Settings(0.9, 10);

        /** Room for updates. */
        public static final Settings ROOMY = new Settings(0.6, 10);
    }

    private final Arena arena;
    private final RuleRows rows;
    private final TupleOrder order;
    private final CuckooTables cuckoo;
    private final @Nullable KeyFilter filter;

    /** An empty tuple space. */
    public TupleTables(HeaderLayout layout, Arena arena, Settings settings) {
        this(layout, arena, settings, null);
    }

    /**
     * An empty tuple space.
     *
     * @param filter is told of every key that comes; null for none
     */
    public TupleTables(
            HeaderLayout layout, Arena arena, Settings settings, @Nullable KeyFilter filter) {
        this.arena = arena;
        this.rows = new RuleRows(layout, arena);
        this.order = new TupleOrder(arena);
        this.cuckoo = new CuckooTables(rows, settings.load(), settings.rehashes());
        this.filter = filter;
    }

    /** The memory. */
    public Arena arena() {
        return arena;
    }

    /** The words of a header that masks and rows have. */
    public HeaderLayout layout() {
        return rows.layout();
    }

    /** Number of tuples. */
    public int count() {
        return order.tuples().size();
    }

    /** The tuples in the order of their best ranks. Do not change. */
    public List<Tuple> order() {
        return order.tuples();
    }

    /** A number that changes whenever a tuple comes or goes. */
    public long version() {
        return order.version();
    }

    /** Makes room for slots 0 to {@code slots} - 1, so that a known number needs one copy. */
    public void reserve(int slots) {
        rows.reserve(slots);
    }

    /** Offset of a slot's row. */
    public int rowAt(int slot) {
        return rows.at(slot);
    }

    /**
     * Mask of a slot's rule in the layout's words. Do not change.
     *
     * @throws IllegalStateException if the slot has no rule
     */
    public int[] maskOfSlot(int slot) {
        return rows.mask(slot);
    }

    /**
     * The tuple that a slot's rule is in.
     *
     * @throws IllegalStateException if it is in none
     */
    public Tuple tupleOfSlot(int slot) {
        Tuple tuple = rows.tuple(slot);
        if (tuple == null) {
            throw new IllegalStateException("no rule in slot " + slot);
        }
        return tuple;
    }

    /** Writes the row of a rule that is in no tuple yet; returns its mask. */
    public RuleMask writeRow(int slot, int rank, Match match) {
        return rows.write(slot, rank, match);
    }

    private static long recordWords(int terms) {
        return TupleSpaceLayout.FIRST_TERM + (long) TupleSpaceLayout.TERM * terms;
    }

    /** Opens a tuple without rules. */
    public Tuple open(int[] mask) {
        int terms = KeyMasks.terms(mask);
        Tuple tuple = new Tuple(mask, arena.allocate(recordWords(terms)));
        arena.set(tuple.record + TupleSpaceLayout.TERMS, terms);
        KeyMasks.write(mask, arena, tuple.record + TupleSpaceLayout.FIRST_TERM);
        cuckoo.open(tuple);
        if (filter != null) {
            filter.opened(this, tuple);
        }
        order.append(tuple);
        return tuple;
    }

    private void close(Tuple tuple) {
        tuple.closed = true;
        cuckoo.close(tuple);
        arena.release(tuple.record, recordWords(KeyMasks.terms(tuple.mask)));
        order.remove(tuple);
    }

    /** Closes a tuple if its rules have left. */
    public void closeIfEmpty(Tuple tuple) {
        if (tuple.rules == 0) {
            close(tuple);
        }
    }

    /**
     * Puts a written row into a tuple.
     *
     * @return rows of its key that are better, or 0 if it is the first of its key
     */
    public int put(Tuple tuple, int slot) {
        rows.chooseCheck(slot, rows.mask(slot), tuple.mask);
        int digest = digest(tuple, slot, TupleSpaceLayout.SEED);
        int pair = cuckoo.find(tuple, digest, slot);
        int better = 0;
        if (pair != 0) {
            better = rows.link(pair + TupleSpaceLayout.CELL_FIRST, slot);
        } else {
            rows.detach(slot);
            tuple.keys++;
            if (filter != null) {
                filter.added(this, tuple, slot);
            }
            boolean rehashed = cuckoo.insert(tuple, digest, slot);
            if (rehashed && filter != null) {
                filter.rehashed(this, tuple);
            }
        }
        rows.setTuple(slot, tuple);
        tuple.rules++;
        int rank = rows.rank(slot);
        if (rank < tuple.best) {
            order.improve(tuple, rank);
        }
        return better;
    }

    /** Takes a row out of its tuple, which stays; not where keys have a filter. */
    public void take(int slot) {
        Tuple tuple = tupleOfSlot(slot);
        int pair = pair(tuple, slot);
        rows.unlink(pair + TupleSpaceLayout.CELL_FIRST, slot);
        if (arena.words()[pair + TupleSpaceLayout.CELL_FIRST] == 0) {
            tuple.keys--;
            cuckoo.remove(tuple, pair);
        }
        rows.setTuple(slot, null);
        tuple.rules--;
    }

    /** Number of rules with the key of a slot's rule in its tuple. */
    public int keyCount(int slot) {
        return rows.length(list(slot));
    }

    /** Slots of the rules with the key of a slot's rule in its tuple, best first. */
    public int[] slotsOfKey(int slot) {
        return rows.slots(list(slot));
    }

    /** Offset of the head of the list that a slot's rule is in. */
    private int list(int slot) {
        return pair(tupleOfSlot(slot), slot) + TupleSpaceLayout.CELL_FIRST;
    }

    private int pair(Tuple tuple, int slot) {
        return cuckoo.find(tuple, digest(tuple, slot, TupleSpaceLayout.SEED), slot);
    }

    /**
     * Digest of a rule's key in a tuple.
     *
     * @param seedAt which of the tuple's seeds: {@link TupleSpaceLayout#SEED} or {@link
     *     TupleSpaceLayout#FILTER_SEED}
     */
    public int digest(Tuple tuple, int slot, int seedAt) {
        return rows.digest(tuple.record, slot, seedAt);
    }

    /** For each key in a tuple's table the slot of its best rule. */
    public int[] keySlots(Tuple tuple) {
        int[] w = arena.words();
        int[] slots = cuckoo.pairs(tuple);
        for (int k = 0; k < slots.length; k++) {
            slots[k] = w[slots[k] + TupleSpaceLayout.CELL_FIRST] - 1;
        }
        return slots;
    }

    /**
     * Gives each tuple signatures, which {@link TupleSearch#inOrder} tests before a table. For
     * images about to be sealed: nothing keeps them up to date, and there is no {@link KeyFilter}.
     */
    public void sign() {
        for (Tuple tuple : order.tuples()) {
            Signatures.write(arena, tuple, cuckoo.pairs(tuple));
        }
    }

    /**
     * Filter beside the cuckoo table of each tuple, which tells without reading the table that a
     * header's key is not in it. {@link TupleTables} reports every key that comes.
     */
    public interface KeyFilter {
        /** A tuple was opened; it has no key yet. */
        void opened(TupleTables tables, Tuple tuple);

        /** The tuple gets a new key, that of a slot's rule: counted, but not yet in the table. */
        void added(TupleTables tables, Tuple tuple, int slot);

        /** The tuple has other seeds; its keys are those reported. */
        void rehashed(TupleTables tables, Tuple tuple);
    }
}
