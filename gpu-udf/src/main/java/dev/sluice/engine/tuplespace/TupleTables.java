package dev.sluice.engine.tuplespace;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rules in classes, each with a cuckoo table keyed by the header words under the class's mask, in
 * memory that is an image at every moment. Rules are named by slots that the caller gives out. Not
 * thread-safe.
 */
public final class TupleTables {
    private static final int KICKS = 500;
    private static final int[] NO_MASK = {};
    private static final int SMALLEST_FILTER_BITS = 6;
    private static final int LARGEST_FILTER_BITS = 26;
    private static final int SIGNATURE_BITS_PER_KEY = 12;

    /**
     * How a space is built.
     *
     * @param load keys a cell, at most 0.9
     * @param classLimit rules of a class at which a second one of the same mask is opened
     * @param filterBitsPerKey size of the classes' Bloom filters, 0 for none
     * @param rehashes new constants that are tried before keys go to the stash; 0: the first ones
     *     stay
     */
    public record Settings(double load, int classLimit, int filterBitsPerKey, int rehashes) {
        /** Whole classes at 90 % load, no filters. */
        public static final Settings DENSE = new Settings(0.9, Integer.MAX_VALUE, 0, 10);

        /** Room for updates. */
        public static final Settings ROOMY = new Settings(0.6, Integer.MAX_VALUE, 0, 10);

        /** Dense tables with filters of so many bits a key. */
        public static Settings filtered(int filterBitsPerKey) {
            return new Settings(DENSE.load, DENSE.classLimit, filterBitsPerKey, DENSE.rehashes);
        }
    }

    /** Masks of rules, each once. */
    public static final class RuleMask {
        public final int[] words;
        int offset;
        int uses;
        int id;

        /** Class that takes rules of this mask, valid where {@link #memo} is the space's. */
        public @Nullable Tuple target;

        public long memo = -1;

        RuleMask(int[] words) {
            this.words = words;
        }
    }

    /** Objects by small numbers, which are given again. */
    private static final class ById<T> {
        private final List<@Nullable T> objects = new ArrayList<>();
        private final Deque<Integer> free = new ArrayDeque<>();

        int add(T object) {
            Integer id = free.poll();
            if (id == null) {
                objects.add(object);
                return objects.size() - 1;
            }
            objects.set(id, object);
            return id;
        }

        void remove(int id) {
            objects.set(id, null);
            free.add(id);
        }

        T get(int id) {
            return Objects.requireNonNull(objects.get(id));
        }
    }

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
    private final Settings settings;
    private final int wordCount;
    private final int ports;
    private final int stride;

    /** The mask that is looked up. */
    private final MaskKey wanted;

    private final Map<MaskKey, RuleMask> masks = new HashMap<>();
    private final List<Tuple> order = new ArrayList<>();
    private int rowCapacity = 64;
    private int orderCapacity = 16;

    /**
     * Mask and class of each slot, their ids plus 1, side by side: objects would make the collector
     * note every change.
     */
    private int[] ofSlot = new int[2 * 64];

    private final ById<RuleMask> maskIds = new ById<>();
    private final ById<Tuple> classIds = new ById<>();
    private int random = 1;
    private long version;
    private int homelessDigest;
    private int homelessHead;
    private @Nullable RuleLog log;

    /** An empty space. */
    public TupleTables(HeaderLayout layout, Arena arena, Settings settings) {
        this.layout = layout;
        this.arena = arena;
        this.settings = settings;
        this.wordCount = layout.size();
        this.wanted = new MaskKey(new int[wordCount]);
        this.ports = layout.position(HeaderWord.PORTS);
        int used = TupleSpaceLayout.VALUES + wordCount;
        this.stride = used + TupleSpaceLayout.ROW_ALIGNMENT - 1 & -TupleSpaceLayout.ROW_ALIGNMENT;
        int rows = arena.allocate((long) rowCapacity * stride);
        int orderAt = arena.allocate(2L * orderCapacity);
        arena.set(Image.LAYOUT_AT, layout.wordBits());
        arena.set(TupleSpaceLayout.ROWS_AT, rows);
        arena.set(TupleSpaceLayout.STRIDE_AT, stride);
        arena.set(TupleSpaceLayout.PORTS_AT, ports);
        arena.set(TupleSpaceLayout.ORDER_AT, orderAt);
    }

    public Arena arena() {
        return arena;
    }

    public HeaderLayout layout() {
        return layout;
    }

    /** Tells a log of masks that come and go, and of rows that move. */
    public void log(RuleLog to) {
        log = to;
    }

    /** Words of a row. */
    public int rowWords() {
        return stride;
    }

    /** Offset of a slot's row. */
    public int rowAt(int slot) {
        return row(slot);
    }

    /** Number of classes. */
    public int classes() {
        return order.size();
    }

    public List<Tuple> order() {
        return order;
    }

    /** Mask of a match in the layout's words. */
    public int[] maskOf(Match match) {
        int[] mask = new int[wordCount];
        for (int p = 0; p < wordCount; p++) {
            mask[p] = match.mask(layout.word(p));
        }
        return mask;
    }

    /** Changes whenever a class comes or goes. */
    public long version() {
        return version;
    }

    /** Room for rows up to a slot, so that a known number of rules needs no copying. */
    public void reserve(int slots) {
        if (slots <= rowCapacity) {
            return;
        }
        if (log != null) {
            log.restructured();
        }
        int capacity = Math.max(slots, rowCapacity + (rowCapacity >> 1));
        int rows =
                arena.grow(
                        arena.words()[TupleSpaceLayout.ROWS_AT],
                        (long) rowCapacity * stride,
                        (long) capacity * stride);
        arena.set(TupleSpaceLayout.ROWS_AT, rows);
        rowCapacity = capacity;
        ofSlot = Arrays.copyOf(ofSlot, 2 * capacity);
    }

    /** As {@link RuleStructure#readAhead}. */
    public void readAhead(int slot) {
        if (slot < rowCapacity) {
            arena.readAhead(row(slot), ofSlot[2 * slot]);
        }
    }

    private int row(int slot) {
        return arena.words()[TupleSpaceLayout.ROWS_AT] + slot * stride;
    }

    /** Writes a rule's row; returns its mask. */
    public RuleMask writeRow(int slot, int rank, Match match) {
        reserve(slot + 1);
        RuleMask mask = intern(match);
        int row = row(slot);
        arena.set(row + TupleSpaceLayout.RANK, rank);
        arena.set(row + TupleSpaceLayout.MASK, mask.offset);
        arena.set(row + TupleSpaceLayout.NEXT, 0);
        for (int p = 0; p < wordCount; p++) {
            arena.set(row + TupleSpaceLayout.VALUES + p, match.value(layout.word(p)));
        }
        if (ports >= 0) {
            arena.set(row + TupleSpaceLayout.RANGES, match.srcPorts());
            arena.set(row + TupleSpaceLayout.RANGES + 1, match.dstPorts());
        }
        ofSlot[2 * slot] = mask.id + 1;
        return mask;
    }

    /** Notes which word of a row is looked at first: the one that its class says least about. */
    private void check(int slot, int[] mask, int[] named) {
        int best = 0;
        int most = -1;
        for (int p = 0; p < wordCount; p++) {
            int bits = Integer.bitCount(mask[p] & (named.length == 0 ? -1 : ~named[p]));
            if (bits > most) {
                most = bits;
                best = p;
            }
        }
        int[] w = arena.words();
        int row = row(slot);
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
            int[] words = wanted.words.clone();
            mask = new RuleMask(words);
            arena.record(log);
            mask.offset = arena.allocate(Math.max(1, wordCount));
            System.arraycopy(words, 0, arena.words(), mask.offset, wordCount);
            arena.changed(mask.offset, wordCount);
            arena.record(null);
            masks.put(new MaskKey(words), mask);
            mask.id = maskIds.add(mask);
        }
        mask.uses++;
        return mask;
    }

    private void releaseMask(RuleMask mask) {
        if (--mask.uses == 0) {
            masks.remove(new MaskKey(mask.words));
            maskIds.remove(mask.id);
            arena.record(log);
            arena.release(mask.offset, Math.max(1, wordCount));
            arena.record(null);
        }
    }

    /** A new class. */
    public Tuple open(int[] mask) {
        int terms = (int) Arrays.stream(mask).filter(m -> m != 0).count();
        Tuple of = new Tuple(mask, arena.allocate(TupleSpaceLayout.FIRST_TERM + 2L * terms));
        arena.set(of.record + TupleSpaceLayout.TERMS, terms);
        int at = of.record + TupleSpaceLayout.FIRST_TERM;
        for (int p = 0; p < mask.length; p++) {
            if (mask[p] != 0) {
                arena.set(at++, p);
                arena.set(at++, mask[p]);
            }
        }
        constants(of);
        allocateCells(of, 1);
        allocateFilter(of, 1);
        of.id = classIds.add(of);
        of.place = order.size();
        order.add(of);
        if (order.size() > orderCapacity) {
            int grown = 2 * orderCapacity;
            int orderAt =
                    arena.grow(
                            arena.words()[TupleSpaceLayout.ORDER_AT],
                            2L * orderCapacity,
                            2L * grown);
            arena.set(TupleSpaceLayout.ORDER_AT, orderAt);
            orderCapacity = grown;
        }
        arena.set(TupleSpaceLayout.CLASSES_AT, order.size());
        writeOrder(of.place, of.place);
        version++;
        return of;
    }

    private void close(Tuple of) {
        of.closed = true;
        classIds.remove(of.id);
        int[] w = arena.words();
        arena.release(
                w[of.record + TupleSpaceLayout.CELLS],
                cellWords(w[of.record + TupleSpaceLayout.DEPTH]));
        if (w[of.record + TupleSpaceLayout.STASH] != 0) {
            arena.release(
                    w[of.record + TupleSpaceLayout.STASH],
                    2L * w[of.record + TupleSpaceLayout.STASHED]);
        }
        releaseFilter(of);
        arena.release(of.record, TupleSpaceLayout.FIRST_TERM + 2L * of.terms());
        order.remove(of.place);
        for (int k = of.place; k < order.size(); k++) {
            order.get(k).place = k;
        }
        arena.set(TupleSpaceLayout.CLASSES_AT, order.size());
        writeOrder(of.place, order.size() - 1);
        version++;
    }

    private void writeOrder(int from, int to) {
        int[] w = arena.words();
        int at = w[TupleSpaceLayout.ORDER_AT];
        for (int k = from; k <= to; k++) {
            Tuple of = order.get(k);
            arena.set(at + 2 * k, of.best);
            arena.set(at + 2 * k + 1, of.record);
            arena.set(of.record + TupleSpaceLayout.BEST, of.best);
        }
    }

    private void improve(Tuple of, int rank) {
        of.best = rank;
        int to = of.place;
        while (to > 0 && order.get(to - 1).best > rank) {
            Tuple other = order.get(to - 1);
            other.place = to;
            order.set(to, other);
            to--;
        }
        int from = of.place;
        order.set(to, of);
        of.place = to;
        writeOrder(to, from);
    }

    private void constants(Tuple of) {
        long state = (of.generation++ + 1L) * 0x9e3779b97f4a7c15L;
        for (int k = 0; k < 8; k++) {
            long z = state += 0x9e3779b97f4a7c15L;
            z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
            z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
            int value = (int) (z ^ z >>> 31);
            if (k == 6) {
                arena.set(of.record + TupleSpaceLayout.SEED, value);
            } else if (k == 7) {
                arena.set(of.record + TupleSpaceLayout.FILTER_SEED, value);
            } else {
                arena.set(
                        of.record + TupleSpaceLayout.CONSTANTS + k,
                        (k & 1) == 0 ? value | 1 : value);
            }
        }
    }

    private static long cellWords(int depth) {
        return 2L * TupleSpaceLayout.SUBTABLES * depth;
    }

    private void allocateCells(Tuple of, int keys) {
        int depth =
                (int) Math.max(1, Math.ceil(keys / (TupleSpaceLayout.SUBTABLES * settings.load())));
        allocateDepth(of, depth);
    }

    private void allocateDepth(Tuple of, int depth) {
        int cells = arena.allocate(cellWords(depth));
        arena.set(of.record + TupleSpaceLayout.CELLS, cells);
        arena.set(of.record + TupleSpaceLayout.DEPTH, depth);
    }

    private int digest(Tuple of, int slot, int seedAt) {
        int[] w = arena.words();
        int values = row(slot) + TupleSpaceLayout.VALUES;
        int digest = w[of.record + seedAt];
        int at = of.record + TupleSpaceLayout.FIRST_TERM;
        for (int t = w[of.record + TupleSpaceLayout.TERMS]; t > 0; t--, at += 2) {
            digest = TupleSpaceLayout.mix(digest, w[values + w[at]] & w[at + 1]);
        }
        return TupleSpaceLayout.finish(digest);
    }

    private boolean sameKey(Tuple of, int slotA, int slotB) {
        int[] w = arena.words();
        int a = row(slotA) + TupleSpaceLayout.VALUES;
        int b = row(slotB) + TupleSpaceLayout.VALUES;
        for (int p = 0; p < wordCount; p++) {
            if (((w[a + p] ^ w[b + p]) & of.mask[p]) != 0) {
                return false;
            }
        }
        return true;
    }

    private int cellAt(Tuple of, int subtable, int digest) {
        int[] w = arena.words();
        int depth = w[of.record + TupleSpaceLayout.DEPTH];
        int constants = of.record + TupleSpaceLayout.CONSTANTS + 2 * subtable;
        return w[of.record + TupleSpaceLayout.CELLS]
                + 2
                        * (subtable * depth
                                + TupleSpaceLayout.cell(
                                        w[constants], w[constants + 1], digest, depth));
    }

    /** Offset of the pair (digest, head) of a key, 0 if the class lacks it. */
    private int find(Tuple of, int digest, int slot) {
        int[] w = arena.words();
        for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
            arena.touch(cellAt(of, s, digest));
        }
        for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
            int cell = cellAt(of, s, digest);
            if (w[cell] == digest && w[cell + 1] != 0 && sameKey(of, slot, w[cell + 1] - 1)) {
                return cell;
            }
        }
        int stash = w[of.record + TupleSpaceLayout.STASH];
        for (int k = w[of.record + TupleSpaceLayout.STASHED] - 1; k >= 0; k--) {
            int pair = stash + 2 * k;
            if (w[pair] == digest && sameKey(of, slot, w[pair + 1] - 1)) {
                return pair;
            }
        }
        return 0;
    }

    /**
     * Puts a written row into a class.
     *
     * @return rows of its key that are better, or 0 if it is the first of its key
     */
    public int put(Tuple of, int slot) {
        check(slot, maskOfSlot(slot), of.mask);
        int digest = digest(of, slot, TupleSpaceLayout.SEED);
        int pair = find(of, digest, slot);
        int[] w = arena.words();
        int rank = w[row(slot) + TupleSpaceLayout.RANK];
        int before = 0;
        if (pair != 0) {
            before = link(pair, slot, rank);
        } else {
            arena.set(row(slot) + TupleSpaceLayout.NEXT, 0);
            of.keys++;
            filter(of, slot, 1);
            homelessDigest = digest;
            homelessHead = slot + 1;
            long cells = (long) TupleSpaceLayout.SUBTABLES * w[of.record + TupleSpaceLayout.DEPTH];
            if (of.keys > settings.load() * cells || !place(of)) {
                rehash(of);
            }
        }
        ofSlot[2 * slot + 1] = of.id + 1;
        of.rules++;
        if (rank < of.best) {
            improve(of, rank);
        }
        return before;
    }

    /** Puts a row among those of its key, best first; returns how many are better. */
    private int link(int pair, int slot, int rank) {
        int[] w = arena.words();
        int before = pair + 1;
        int better = 0;
        while (w[before] != 0 && w[row(w[before] - 1) + TupleSpaceLayout.RANK] < rank) {
            before = row(w[before] - 1) + TupleSpaceLayout.NEXT;
            arena.touch(before);
            better++;
        }
        arena.set(row(slot) + TupleSpaceLayout.NEXT, w[before]);
        arena.set(before, slot + 1);
        return better;
    }

    /** Number of rules with the key of a slot. */
    public int chain(int slot) {
        Tuple of = requireClass(slot);
        int pair = find(of, digest(of, slot, TupleSpaceLayout.SEED), slot);
        int[] w = arena.words();
        int n = 0;
        for (int next = w[pair + 1]; next != 0; next = w[row(next - 1) + TupleSpaceLayout.NEXT]) {
            n++;
        }
        return n;
    }

    /** Slots of the rules with the key of a slot, best first. */
    public int[] chainOf(int slot) {
        Tuple of = requireClass(slot);
        int pair = find(of, digest(of, slot, TupleSpaceLayout.SEED), slot);
        int[] w = arena.words();
        int[] slots = new int[chain(slot)];
        int n = 0;
        for (int next = w[pair + 1]; next != 0; next = w[row(next - 1) + TupleSpaceLayout.NEXT]) {
            slots[n++] = next - 1;
        }
        return slots;
    }

    public int[] maskOfSlot(int slot) {
        int mask = ofSlot[2 * slot];
        if (mask == 0) {
            throw new IllegalStateException("no rule in slot " + slot);
        }
        return maskIds.get(mask - 1).words;
    }

    public Tuple requireClass(int slot) {
        int of = ofSlot[2 * slot + 1];
        if (of == 0) {
            throw new IllegalStateException("no rule in slot " + slot);
        }
        return classIds.get(of - 1);
    }

    /** Takes a row out of its class; the class goes with its last rule unless it is kept. */
    public void take(int slot, boolean keepClass) {
        Tuple of = requireClass(slot);
        int pair = find(of, digest(of, slot, TupleSpaceLayout.SEED), slot);
        int[] w = arena.words();
        int before = pair + 1;
        while (w[before] != slot + 1) {
            before = row(w[before] - 1) + TupleSpaceLayout.NEXT;
            arena.touch(before);
        }
        arena.set(before, w[row(slot) + TupleSpaceLayout.NEXT]);
        if (w[pair + 1] == 0) {
            of.keys--;
            filter(of, slot, -1);
            int stash = w[of.record + TupleSpaceLayout.STASH];
            int stashed = w[of.record + TupleSpaceLayout.STASHED];
            if (stash != 0 && pair >= stash && pair < stash + 2 * stashed) {
                int last = stash + 2 * (stashed - 1);
                int digest = w[last];
                int head = w[last + 1];
                arena.set(pair, digest);
                arena.set(pair + 1, head);
                setStash(of, stashed - 1);
            } else {
                arena.set(pair, 0);
            }
        }
        ofSlot[2 * slot + 1] = 0;
        of.rules--;
        if (of.rules == 0 && !keepClass) {
            close(of);
        }
    }

    /** Writes a rule's row for an algorithm that links the rows itself. */
    public void write(int slot, int rank, Match match) {
        check(slot, writeRow(slot, rank, match).words, NO_MASK);
    }

    /** Puts a written row into a list, best first; its head is the word at an offset. */
    public void linkAt(int headAt, int slot) {
        link(headAt - 1, slot, arena.words()[row(slot) + TupleSpaceLayout.RANK]);
    }

    /** Takes a row out of a list. */
    public void unlinkAt(int headAt, int slot) {
        int[] w = arena.words();
        int before = headAt;
        while (w[before] != slot + 1) {
            before = row(w[before] - 1) + TupleSpaceLayout.NEXT;
        }
        arena.set(before, w[row(slot) + TupleSpaceLayout.NEXT]);
        arena.set(row(slot) + TupleSpaceLayout.NEXT, 0);
    }

    /** Ends a row's part in a list that is taken apart; returns the next row + 1. */
    public int unlink(int slot) {
        int[] w = arena.words();
        int next = w[row(slot) + TupleSpaceLayout.NEXT];
        arena.set(row(slot) + TupleSpaceLayout.NEXT, 0);
        return next;
    }

    /** Number of rows of a list. */
    public int chainLength(int headAt) {
        int[] w = arena.words();
        int n = 0;
        for (int next = w[headAt]; next != 0; next = w[row(next - 1) + TupleSpaceLayout.NEXT]) {
            n++;
        }
        return n;
    }

    /** Whether a row was written and not forgotten. */
    public boolean holds(int slot) {
        return 2 * slot < ofSlot.length && ofSlot[2 * slot] != 0;
    }

    /** Gives a row another rank. */
    public void setRank(int slot, int rank) {
        arena.set(row(slot) + TupleSpaceLayout.RANK, rank);
    }

    /** Forgets a row that is in no list. */
    public void forget(int slot) {
        clearRow(slot);
    }

    /** Closes a class that its rules have left. */
    public void closeIfEmpty(Tuple of) {
        if (of.rules == 0) {
            close(of);
        }
    }

    /** Forgets a row that is in no class. */
    void clearRow(int slot) {
        int mask = ofSlot[2 * slot];
        if (mask != 0) {
            releaseMask(maskIds.get(mask - 1));
            ofSlot[2 * slot] = 0;
        }
    }

    /** Removes a rule. */
    public void remove(int slot) {
        take(slot, false);
        clearRow(slot);
    }

    private void setStash(Tuple of, int count) {
        int[] w = arena.words();
        int stash = w[of.record + TupleSpaceLayout.STASH];
        int before = w[of.record + TupleSpaceLayout.STASHED];
        int moved = 0;
        if (count > 0) {
            moved = arena.allocate(2L * count);
            w = arena.words();
            System.arraycopy(w, stash, w, moved, 2 * Math.min(count, before));
            arena.changed(moved, 2 * Math.min(count, before));
        }
        if (stash != 0) {
            arena.release(stash, 2L * before);
        }
        arena.set(of.record + TupleSpaceLayout.STASH, moved);
        arena.set(of.record + TupleSpaceLayout.STASHED, count);
    }

    /** Finds a cell for the homeless key, moving others; false if one stays homeless. */
    private boolean place(Tuple of) {
        int[] w = arena.words();
        for (int kick = 0; kick < KICKS; kick++) {
            for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
                int cell = cellAt(of, s, homelessDigest);
                if (w[cell + 1] == 0) {
                    arena.set(cell, homelessDigest);
                    arena.set(cell + 1, homelessHead);
                    return true;
                }
            }
            random = random * 1664525 + 1013904223;
            int cell = cellAt(of, (random >>> 16) % TupleSpaceLayout.SUBTABLES, homelessDigest);
            int digest = w[cell];
            int head = w[cell + 1];
            arena.set(cell, homelessDigest);
            arena.set(cell + 1, homelessHead);
            homelessDigest = digest;
            homelessHead = head;
        }
        return false;
    }

    /**
     * Places all keys and the homeless one with new constants and a new digest seed; after several
     * tries in a larger table; what still finds no cell goes to the stash.
     */
    private void rehash(Tuple of) {
        int[] w = arena.words();
        int depth = w[of.record + TupleSpaceLayout.DEPTH];
        int cells = w[of.record + TupleSpaceLayout.CELLS];
        int stashed = w[of.record + TupleSpaceLayout.STASHED];
        int[] heads = new int[of.keys];
        int n = 0;
        heads[n++] = homelessHead;
        for (int c = 0; c < TupleSpaceLayout.SUBTABLES * depth; c++) {
            if (w[cells + 2 * c + 1] != 0) {
                heads[n++] = w[cells + 2 * c + 1];
            }
        }
        for (int k = 0; k < stashed; k++) {
            heads[n++] = w[w[of.record + TupleSpaceLayout.STASH] + 2 * k + 1];
        }
        setStash(of, 0);
        boolean full = of.keys > settings.load() * TupleSpaceLayout.SUBTABLES * depth;
        int[] left = new int[2 * n];
        for (int attempt = 0; ; attempt++) {
            w = arena.words();
            arena.release(w[of.record + TupleSpaceLayout.CELLS], cellWords(depth));
            boolean crowded = 2 * of.keys > settings.load() * TupleSpaceLayout.SUBTABLES * depth;
            if (full || attempt > 0 && attempt % 3 == 0 && crowded) {
                // A roomy table grows by half, a dense one only as far as it must.
                depth =
                        Math.max(
                                depth + 1,
                                (int) Math.ceil(depth * (settings.load() < 0.7 ? 1.5 : 1.12)));
                full = false;
            }
            allocateDepth(of, depth);
            if (settings.rehashes() > 0) {
                constants(of);
            }
            int homeless = 0;
            for (int k = 0; k < n; k++) {
                homelessHead = heads[k];
                homelessDigest = digest(of, heads[k] - 1, TupleSpaceLayout.SEED);
                if (!place(of)) {
                    left[2 * homeless] = homelessDigest;
                    left[2 * homeless++ + 1] = homelessHead;
                    if (attempt < settings.rehashes()) {
                        break;
                    }
                }
            }
            if (homeless == 0 || attempt >= settings.rehashes()) {
                setStash(of, homeless);
                w = arena.words();
                int stash = w[of.record + TupleSpaceLayout.STASH];
                System.arraycopy(left, 0, w, stash, 2 * homeless);
                arena.changed(stash, 2 * homeless);
                break;
            }
        }
        rebuildFilter(of, heads, n);
    }

    private void allocateFilter(Tuple of, int keys) {
        if (settings.filterBitsPerKey() == 0) {
            return;
        }
        long wanted = (long) keys * settings.filterBitsPerKey();
        int bits =
                Math.min(
                        LARGEST_FILTER_BITS,
                        Math.max(
                                SMALLEST_FILTER_BITS,
                                64 - Long.numberOfLeadingZeros(Math.max(1, wanted - 1))));
        int at = arena.allocate(1L << bits - 5);
        arena.set(of.record + TupleSpaceLayout.FILTER, at);
        arena.set(of.record + TupleSpaceLayout.FILTER_BITS, bits);
        of.counters = new byte[1 << bits];
    }

    private void releaseFilter(Tuple of) {
        int[] w = arena.words();
        if (w[of.record + TupleSpaceLayout.FILTER] != 0) {
            arena.release(
                    w[of.record + TupleSpaceLayout.FILTER],
                    1L << w[of.record + TupleSpaceLayout.FILTER_BITS] - 5);
        }
    }

    /** Counts a key in or out of its class's filter. */
    private void filter(Tuple of, int slot, int change) {
        int[] w = arena.words();
        int bits = w[of.record + TupleSpaceLayout.FILTER_BITS];
        if (settings.filterBitsPerKey() == 0) {
            return;
        }
        if (change > 0
                && (long) of.keys * settings.filterBitsPerKey() > 1L << bits
                && bits < LARGEST_FILTER_BITS) {
            releaseFilter(of);
            allocateFilter(of, 2 * of.keys);
            refill(of);
            w = arena.words();
            bits = w[of.record + TupleSpaceLayout.FILTER_BITS];
        }
        count(of, digest(of, slot, TupleSpaceLayout.FILTER_SEED), change);
    }

    private void count(Tuple of, int digest, int change) {
        int[] w = arena.words();
        int filter = w[of.record + TupleSpaceLayout.FILTER];
        int bits = w[of.record + TupleSpaceLayout.FILTER_BITS];
        for (int f = 0; f < 2; f++) {
            int bit = TupleSpaceLayout.filterBit(digest, f, bits);
            int count = of.counters[bit] & 0xff;
            if (count < 255) {
                count += change;
                of.counters[bit] = (byte) count;
            }
            int word = filter + (bit >>> 5);
            arena.set(word, count == 0 ? w[word] & ~(1 << bit) : w[word] | 1 << bit);
        }
    }

    /** Counts in every key that is in a cell or in the stash. */
    private void refill(Tuple of) {
        int[] w = arena.words();
        int cells = w[of.record + TupleSpaceLayout.CELLS];
        for (int c = TupleSpaceLayout.SUBTABLES * w[of.record + TupleSpaceLayout.DEPTH] - 1;
                c >= 0;
                c--) {
            if (w[cells + 2 * c + 1] != 0) {
                count(of, digest(of, w[cells + 2 * c + 1] - 1, TupleSpaceLayout.FILTER_SEED), 1);
            }
        }
        for (int k = w[of.record + TupleSpaceLayout.STASHED] - 1; k >= 0; k--) {
            int head = w[w[of.record + TupleSpaceLayout.STASH] + 2 * k + 1];
            count(of, digest(of, head - 1, TupleSpaceLayout.FILTER_SEED), 1);
        }
    }

    private void rebuildFilter(Tuple of, int[] heads, int n) {
        if (settings.filterBitsPerKey() == 0) {
            return;
        }
        int[] w = arena.words();
        int bits = w[of.record + TupleSpaceLayout.FILTER_BITS];
        int filter = w[of.record + TupleSpaceLayout.FILTER];
        Arrays.fill(w, filter, filter + (1 << bits - 5), 0);
        arena.changed(filter, 1 << bits - 5);
        Arrays.fill(of.counters, (byte) 0);
        for (int k = 0; k < n; k++) {
            count(of, digest(of, heads[k] - 1, TupleSpaceLayout.FILTER_SEED), 1);
        }
    }

    /**
     * Gives each class signatures: a Bloom filter whose bits of one key lie in one word (F. Putze,
     * P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", 2007), so that one
     * load tells most classes off. For images that do not change: nothing keeps them up to date.
     */
    public void sign() {
        for (Tuple of : order) {
            int bits = 0;
            while (32L << bits < (long) SIGNATURE_BITS_PER_KEY * of.keys) {
                bits++;
            }
            int at = arena.allocate(1L << bits);
            int[] w = arena.words();
            arena.set(of.record + TupleSpaceLayout.FILTER, at);
            arena.set(of.record + TupleSpaceLayout.FILTER_BITS, bits);
            int cells = w[of.record + TupleSpaceLayout.CELLS];
            for (int c = TupleSpaceLayout.SUBTABLES * w[of.record + TupleSpaceLayout.DEPTH];
                    c > 0;
                    c--) {
                sign(at, bits, cells + 2 * (c - 1));
            }
            for (int k = w[of.record + TupleSpaceLayout.STASHED] - 1; k >= 0; k--) {
                sign(at, bits, w[of.record + TupleSpaceLayout.STASH] + 2 * k);
            }
        }
    }

    private void sign(int at, int bits, int pair) {
        int[] w = arena.words();
        if (w[pair + 1] != 0) {
            int word = at + TupleSpaceLayout.signatureWord(w[pair], bits);
            arena.set(word, w[word] | TupleSpaceLayout.signature(w[pair]));
        }
    }

    /** Gives every rule its new rank; their order is the same as before. */
    public void rerank(int[] rankOfSlot) {
        for (Tuple of : order) {
            of.best = Integer.MAX_VALUE;
        }
        for (int slot = 0; slot < rowCapacity; slot++) {
            if (ofSlot[2 * slot + 1] != 0) {
                Tuple of = requireClass(slot);
                arena.set(row(slot) + TupleSpaceLayout.RANK, rankOfSlot[slot]);
                of.best = Math.min(of.best, rankOfSlot[slot]);
            }
        }
        order.sort((a, b) -> Integer.compare(a.best, b.best));
        for (int k = 0; k < order.size(); k++) {
            order.get(k).place = k;
        }
        writeOrder(0, order.size() - 1);
    }

    /** Keys in stashes, for tests and reports. */
    public int stashed() {
        int[] w = arena.words();
        return order.stream().mapToInt(c -> w[c.record + TupleSpaceLayout.STASHED]).sum();
    }
}
