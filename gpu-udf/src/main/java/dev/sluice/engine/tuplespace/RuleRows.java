package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules themselves: one row a slot in an arena, with the rule's rank, mask, values and port
 * ranges ({@link TupleSpaceLayout} has the words). Rows form linked lists by their word NEXT, best
 * rank first; the heads of the lists are words of others (cells of a cuckoo table, buckets of a
 * hash tree). A slot is a number that the caller gives a rule. Not thread-safe.
 */
public final class RuleRows {
    private static final int FIRST_CAPACITY = 64;

    /** A mask's words as a key of {@link #masks}. */
    private record MaskKey(int[] words) {
        @Override
        public boolean equals(Object other) {
            return other instanceof MaskKey that && Arrays.equals(that.words, words);
        }

        @Override
        public int hashCode() {
            int h = 1;
            for (int word : words) {
                h = TupleSpaceLayout.mix(h, word);
            }
            return h;
        }
    }

    private final HeaderLayout layout;
    private final Arena arena;
    private final int wordCount;

    /** Position of the ports in the layout, -1 where it lacks them. */
    private final int ports;

    /** Returns the size of a row in words. */
    private final int stride;

    private final Map<MaskKey, RuleMask> masks = new HashMap<>();

    /** The key that {@link #intern} asks for: reused, so that a known mask costs no allocation. */
    private final MaskKey wanted;

    private int capacity = FIRST_CAPACITY;

    /** By slot: the rule's mask and its tuple. */
    private @Nullable RuleMask[] maskOf = new RuleMask[FIRST_CAPACITY];

    private @Nullable Tuple[] tupleOf = new Tuple[FIRST_CAPACITY];

    private final ListEnds ends = new ListEnds();

    /** No rows yet; writes where they are to the arena's first words. */
    public RuleRows(HeaderLayout layout, Arena arena) {
        this.layout = layout;
        this.arena = arena;
        this.wordCount = layout.size();
        this.wanted = new MaskKey(new int[wordCount]);
        this.ports = layout.position(HeaderWord.PORTS);
        int used = TupleSpaceLayout.VALUES + wordCount;
        this.stride = used + TupleSpaceLayout.ROW_ALIGNMENT - 1 & -TupleSpaceLayout.ROW_ALIGNMENT;
        int rows = arena.allocate((long) capacity * stride);
        arena.set(ImageLayout.LAYOUT_AT, (int) layout.wordBits());
        arena.set(ImageLayout.LAYOUT_HIGH_AT, (int) (layout.wordBits() >>> 32));
        arena.set(TupleSpaceLayout.ROWS_AT, rows);
        arena.set(TupleSpaceLayout.STRIDE_AT, stride);
        arena.set(TupleSpaceLayout.PORTS_AT, ports);
    }

    /** The words that a row has values of. */
    public HeaderLayout layout() {
        return layout;
    }

    /** The memory that the rows are in. */
    public Arena arena() {
        return arena;
    }

    /** Offset of a slot's row; changes when {@link #reserve} or {@link #write} grows the rows. */
    public int at(int slot) {
        return arena.words()[TupleSpaceLayout.ROWS_AT] + slot * stride;
    }

    /** Makes room for slots 0 to {@code slots} - 1, so that a known number needs one copy. */
    public void reserve(int slots) {
        if (slots <= capacity) {
            return;
        }
        int grown = Math.max(slots, capacity + (capacity >> 1));
        int rows =
                arena.grow(
                        arena.words()[TupleSpaceLayout.ROWS_AT],
                        (long) capacity * stride,
                        (long) grown * stride);
        arena.set(TupleSpaceLayout.ROWS_AT, rows);
        capacity = grown;
        maskOf = Arrays.copyOf(maskOf, grown);
        tupleOf = Arrays.copyOf(tupleOf, grown);
    }

    /** Writes the row of a slot that has none, in no list and no tuple yet; returns its mask. */
    public RuleMask write(int slot, int rank, Match match) {
        reserve(slot + 1);
        RuleMask mask = intern(match);
        int row = at(slot);
        arena.set(row + TupleSpaceLayout.RANK, rank);
        arena.set(row + TupleSpaceLayout.MASK, mask.offset);
        arena.set(row + TupleSpaceLayout.NEXT, 0);
        for (int p = 0; p < wordCount; p++) {
            arena.set(row + TupleSpaceLayout.VALUES + p, match.value(layout.word(p)));
        }
        if (ports >= 0) {
            arena.set(row + TupleSpaceLayout.SRC_PORTS, match.srcPorts());
            arena.set(row + TupleSpaceLayout.DST_PORTS, match.dstPorts());
        }
        maskOf[slot] = mask;
        return mask;
    }

    /**
     * Chooses the word of a row that look-ups compare first: the one of which the rule names the
     * most bits that its list does not yet imply.
     *
     * @param mask the rule's mask
     * @param implied bits that are equal for all rules and headers that reach the row's list; empty
     *     for none
     */
    public void chooseCheck(int slot, int[] mask, int[] implied) {
        int best = 0;
        int most = -1;
        for (int p = 0; p < wordCount; p++) {
            int bits = Integer.bitCount(mask[p] & (implied.length == 0 ? -1 : ~implied[p]));
            if (bits > most) {
                most = bits;
                best = p;
            }
        }
        int[] w = arena.words();
        int row = at(slot);
        arena.set(row + TupleSpaceLayout.CHECK, best);
        arena.set(row + TupleSpaceLayout.CHECK_VALUE, w[row + TupleSpaceLayout.VALUES + best]);
        arena.set(row + TupleSpaceLayout.CHECK_MASK, wordCount == 0 ? 0 : mask[best]);
    }

    private RuleMask intern(Match match) {
        for (int p = 0; p < wordCount; p++) {
            wanted.words[p] = match.mask(layout.word(p));
        }
        RuleMask mask = masks.get(wanted);
        if (mask == null) {
            mask = add(wanted.words.clone());
        }
        return mask;
    }

    private RuleMask add(int[] words) {
        int offset = arena.allocate(Math.max(1, wordCount));
        System.arraycopy(words, 0, arena.words(), offset, wordCount);
        arena.changed(offset, wordCount);
        RuleMask mask = new RuleMask(words, offset);
        masks.put(new MaskKey(words), mask);
        return mask;
    }

    /**
     * Mask of a slot's rule in the layout's words. Do not change.
     *
     * @throws IllegalStateException if the slot has no rule
     */
    public int[] mask(int slot) {
        RuleMask mask = maskOf[slot];
        if (mask == null) {
            throw new IllegalStateException("no rule in slot " + slot);
        }
        return mask.words;
    }

    /** The tuple that a slot's rule is in; null for none. */
    @Nullable Tuple tuple(int slot) {
        return tupleOf[slot];
    }

    /** Notes the tuple that a slot's rule is in; null for none. */
    void setTuple(int slot, @Nullable Tuple tuple) {
        tupleOf[slot] = tuple;
    }

    /** Rank of a slot's rule. */
    public int rank(int slot) {
        return arena.words()[at(slot) + TupleSpaceLayout.RANK];
    }

    /**
     * Digest of a rule's values under a tuple's mask.
     *
     * @param record offset of the tuple's record
     * @param seedAt which of the record's seeds: {@link TupleSpaceLayout#SEED} or {@link
     *     TupleSpaceLayout#FILTER_SEED}
     */
    public int digest(int record, int slot, int seedAt) {
        int[] w = arena.words();
        int values = at(slot) + TupleSpaceLayout.VALUES;
        int digest = w[record + seedAt];
        int at = record + TupleSpaceLayout.FIRST_TERM;
        for (int t = w[record + TupleSpaceLayout.TERMS]; t > 0; t--) {
            int value = w[values + w[at + TupleSpaceLayout.TERM_POSITION]];
            digest = TupleSpaceLayout.mix(digest, value & w[at + TupleSpaceLayout.TERM_MASK]);
            at += TupleSpaceLayout.TERM;
        }
        return TupleSpaceLayout.finish(digest);
    }

    /** Returns whether two rules have the same values under a mask. */
    boolean sameKey(int[] mask, int slotA, int slotB) {
        int[] w = arena.words();
        int a = at(slotA) + TupleSpaceLayout.VALUES;
        int b = at(slotB) + TupleSpaceLayout.VALUES;
        for (int p = 0; p < wordCount; p++) {
            if (((w[a + p] ^ w[b + p]) & mask[p]) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Puts a written row into a list, best rank first.
     *
     * @param headAt offset of the list's head: first slot + 1, 0 for an empty list
     * @return how many rows of the list are better
     */
    public int link(int headAt, int slot) {
        int[] w = arena.words();
        int rank = rank(slot);
        int first = w[headAt] - 1;
        int last = first < 0 ? -1 : ends.last(first) - 1;
        int before = headAt;
        int better = 0;
        if (last >= 0 && rank(last) < rank) {
            before = at(last) + TupleSpaceLayout.NEXT;
            better = ends.length(first);
        }
        while (w[before] != 0 && w[at(w[before] - 1) + TupleSpaceLayout.RANK] < rank) {
            before = at(w[before] - 1) + TupleSpaceLayout.NEXT;
            arena.work(BuildMeter.JUMP);
            better++;
        }
        boolean isLast = w[before] == 0;
        arena.set(at(slot) + TupleSpaceLayout.NEXT, w[before]);
        arena.set(before, slot + 1);
        if (isLast && better >= ListEnds.LONG) {
            ends.set(first, slot, better + 1);
        } else if (last >= 0) {
            int length = ends.length(first) + 1;
            ends.forget(first);
            ends.set(w[headAt] - 1, last, length);
        }
        return better;
    }

    /**
     * Takes a row out of a list that has it. Its own NEXT stays: {@link #detach} or {@link #link}
     * sets it anew.
     */
    public void unlink(int headAt, int slot) {
        int[] w = arena.words();
        ends.forget(w[headAt] - 1);
        int before = headAt;
        while (w[before] != slot + 1) {
            before = at(w[before] - 1) + TupleSpaceLayout.NEXT;
            arena.work(BuildMeter.JUMP);
        }
        arena.set(before, w[at(slot) + TupleSpaceLayout.NEXT]);
    }

    /** Makes a row the last of its list; returns what was its next slot + 1. */
    public int detach(int slot) {
        int at = at(slot) + TupleSpaceLayout.NEXT;
        int next = arena.words()[at];
        arena.set(at, 0);
        ends.forget(slot);
        return next;
    }

    /** Number of rows of a list. */
    public int length(int headAt) {
        int[] w = arena.words();
        if (w[headAt] != 0 && ends.last(w[headAt] - 1) != 0) {
            return ends.length(w[headAt] - 1);
        }
        int n = 0;
        for (int next = w[headAt]; next != 0; next = w[at(next - 1) + TupleSpaceLayout.NEXT]) {
            n++;
        }
        arena.work((long) BuildMeter.JUMP * n);
        return n;
    }

    /** Slots of the rows of a list, best rank first. */
    int[] slots(int headAt) {
        int[] w = arena.words();
        int[] slots = new int[length(headAt)];
        int next = w[headAt];
        for (int k = 0; k < slots.length; k++) {
            slots[k] = next - 1;
            next = w[at(next - 1) + TupleSpaceLayout.NEXT];
        }
        return slots;
    }
}
