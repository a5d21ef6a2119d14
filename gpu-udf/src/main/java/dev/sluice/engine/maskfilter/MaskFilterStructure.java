package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.List;

/**
 * One tuple a mask behind a matrix of bits: for each key a table of matrix rows by a hash of the
 * key, with a bit for each tuple ({@link MaskFilterLayout}). Not thread-safe.
 */
public final class MaskFilterStructure extends TupleSpaceStructure {
    private static final int SMALLEST_ROW_BITS = 8;
    private static final int LARGEST_ROW_BITS = 14;

    private final HeaderLayout layout;
    private final Arena arena;
    private final List<int[]> keys;
    private final int rowBits;
    private final int head;
    private int rowWords;
    private int numbers;

    /** An empty structure, its keys chosen for the rules to come. */
    public MaskFilterStructure(RuleSet rules, Arena arena, TupleTables.Settings settings) {
        super(new TupleTables(rules.layout(), arena, settings));
        this.layout = rules.layout();
        this.arena = arena;
        this.keys = MatrixKeys.choose(rules, layout, arena);
        this.rowBits =
                Math.min(
                        LARGEST_ROW_BITS,
                        Math.max(
                                SMALLEST_ROW_BITS,
                                34 - Integer.numberOfLeadingZeros(Math.max(1, rules.size() / 8))));
        this.rowWords = 1;
        this.head = arena.allocate(MaskFilterLayout.FIRST_KEY + keys.size());
        arena.set(TupleSpaceLayout.EXTRA_AT, head);
        arena.set(head + MaskFilterLayout.KEYS, keys.size());
        arena.set(head + MaskFilterLayout.ROW_BITS, rowBits);
        arena.set(head + MaskFilterLayout.ROW_WORDS, rowWords);
        arena.set(head + MaskFilterLayout.BY_NUMBER, arena.allocate(32L * rowWords));
        for (int k = 0; k < keys.size(); k++) {
            writeKey(k, keys.get(k));
        }
    }

    private void writeKey(int k, int[] key) {
        int terms = KeyMasks.terms(key);
        int record =
                arena.allocate(MaskFilterLayout.FIRST_TERM + (long) TupleSpaceLayout.TERM * terms);
        int table = arena.allocate((long) rowWords << rowBits);
        arena.set(head + MaskFilterLayout.FIRST_KEY + k, record);
        arena.set(record + MaskFilterLayout.TABLE, table);
        arena.set(record + MaskFilterLayout.TERMS, terms);
        KeyMasks.write(key, arena, record + MaskFilterLayout.FIRST_TERM);
    }

    private int table(int k) {
        int[] w = arena.words();
        return w[w[head + MaskFilterLayout.FIRST_KEY + k] + MaskFilterLayout.TABLE];
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        super.insert(slot, rank, match);
        Tuple target = tables().tupleOfSlot(slot);
        int[] values = new int[layout.size()];
        Arrays.setAll(values, p -> match.value(layout.word(p)));
        for (int k = 0; k < keys.size(); k++) {
            int[] key = keys.get(k);
            if (KeyMasks.contains(target.mask, key)) {
                setBit(k, KeyMasks.hash(key, values, 0) >>> 32 - rowBits, target.number);
            }
        }
    }

    private void setBit(int k, int row, int number) {
        int word = table(k) + row * rowWords + (number >>> 5);
        arena.set(word, arena.words()[word] | 1 << number);
    }

    /** Gives a tuple a number and sets its bit in every row of the keys that it does not name. */
    @Override
    protected void opened(Tuple tuple) {
        tuple.number = numbers++;
        if (tuple.number >= 32 * rowWords) {
            widen();
        }
        int[] w = arena.words();
        arena.set(w[head + MaskFilterLayout.BY_NUMBER] + tuple.number, tuple.record);
        for (int k = 0; k < keys.size(); k++) {
            if (!KeyMasks.contains(tuple.mask, keys.get(k))) {
                setColumn(k, tuple.number);
            }
        }
    }

    private void setColumn(int k, int number) {
        arena.work((long) BuildMeter.JUMP << rowBits);
        for (int row = 0; row < 1 << rowBits; row++) {
            setBit(k, row, number);
        }
    }

    /** Doubles the width of the rows, which have a bit for each tuple. */
    private void widen() {
        int wider = 2 * rowWords;
        for (int k = 0; k < keys.size(); k++) {
            int old = table(k);
            int table = arena.allocate((long) wider << rowBits);
            int[] w = arena.words();
            for (int row = 0; row < 1 << rowBits; row++) {
                System.arraycopy(w, old + row * rowWords, w, table + row * wider, rowWords);
                arena.changed(table + row * wider, rowWords);
            }
            arena.release(old, (long) rowWords << rowBits);
            arena.set(w[head + MaskFilterLayout.FIRST_KEY + k] + MaskFilterLayout.TABLE, table);
        }
        int byNumber =
                arena.grow(
                        arena.words()[head + MaskFilterLayout.BY_NUMBER],
                        32L * rowWords,
                        32L * wider);
        rowWords = wider;
        arena.set(head + MaskFilterLayout.BY_NUMBER, byNumber);
        arena.set(head + MaskFilterLayout.ROW_WORDS, wider);
    }
}
