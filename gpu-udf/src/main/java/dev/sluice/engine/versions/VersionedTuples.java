package dev.sluice.engine.versions;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.GrowingWords;
import dev.sluice.engine.memory.ReadAhead;
import dev.sluice.engine.merged.RelaxedMask;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rules that come and go, as a tuple space that answers for every tick at once: each entry says
 * from which tick to which it counts. {@link VersionedTuplesLayout} has the words and the look-up.
 *
 * <p>One thread writes; any number look, without waiting, each with the array ({@link #words}) and
 * the {@link #directory} that there were when its tick was published, and a happens-before edge
 * from then. Such a look-up may see anything that was written later, or miss it, and answers the
 * same:
 *
 * <ul>
 *   <li>An entry is written whole, then linked behind the last of its chain. What is newer than the
 *       tick is passed over, and nothing that the tick needs lies behind it.
 *   <li>A removal writes one word, a tick after the look-up's, in the entry and in the one that it
 *       was copied from first ({@link #entry}).
 *   <li>Entries that count at no tick in use ({@link #oldestTick}) are taken out of their chains;
 *       their own NEXT stays, so that whoever stands on one goes on.
 *   <li>A table that is full is made anew elsewhere, of copies of the entries that still count, and
 *       named by a new directory. What happens to the copies later, the old ones in chains need not
 *       know: it is newer than every tick that has the old directory. For the same reason an array
 *       that was replaced by a longer copy serves its ticks for ever.
 * </ul>
 *
 * <p>Memory is not given back: the owner makes a new tuple space of the live entries when too much
 * is spent ({@link #spentWords}). An insertion takes a new entry and at times a larger table, on
 * average the double of that.
 */
public final class VersionedTuples {
    /** Entries that come to a chain before its dead ones are taken out again. */
    private static final int WALK = 4;

    private static final int SMALLEST_TABLE_BITS = 2;
    private static final int LARGEST_TABLE_BITS = 26;

    private final HeaderLayout layout;
    private final Arena arena;
    private final int words;
    private final int masksAt;
    private final int portsAt;
    private final int stride;
    private final List<OverlayTuple> tuples = new ArrayList<>();
    private final TuplePruning pruning;

    /** The mask of the rule at hand. */
    private final int[] mask;

    /** By slot: its entry's offset, 0 for none, and its tuple's index. */
    private int[] entryOf = new int[64];

    private byte[] tupleOf = new byte[64];

    /** By slot: the entry that was written first of those that are copies of each other. */
    private int[] firstOf = new int[64];

    private int directory;
    private int oldest;
    private int live;

    /**
     * An empty tuple space.
     *
     * @param layout words that rules may look at
     * @param budgetBytes bytes that it may grow to
     */
    public VersionedTuples(HeaderLayout layout, long budgetBytes) {
        this(layout, budgetBytes, Accelerators.STANDARD);
    }

    /** As above, with thresholds of one's own. */
    VersionedTuples(HeaderLayout layout, long budgetBytes, Accelerators limits) {
        this.layout = layout;
        this.arena = new Arena("overlay", budgetBytes);
        this.words = layout.size();
        this.pruning = new TuplePruning(arena, layout, limits);
        this.mask = new int[words];
        int rounded = VersionedTuplesLayout.rounded(words);
        this.masksAt = VersionedTuplesLayout.VALUES + rounded;
        this.portsAt = masksAt + rounded;
        this.stride = VersionedTuplesLayout.rounded(portsAt + VersionedTuplesLayout.RANGES);
        arena.set(VersionedTuplesLayout.WORDS_AT, words);
        arena.set(VersionedTuplesLayout.PORTS_AT, layout.position(HeaderWord.PORTS));
        arena.set(VersionedTuplesLayout.MASKS_AT, masksAt);
        arena.set(VersionedTuplesLayout.STRIDE_AT, stride);
        writeDirectory(allocateDirectory(0));
    }

    /** Makes room for what is to come, so that it need not be made by the way. */
    void reserve(long spentWords, int slots) {
        arena.reserve(spentWords);
        if (slots > entryOf.length) {
            entryOf = Arrays.copyOf(entryOf, slots);
            tupleOf = Arrays.copyOf(tupleOf, slots);
            firstOf = Arrays.copyOf(firstOf, slots);
        }
    }

    /** The words of now, for ticks up to the one that is being written. Do not change. */
    public int[] words() {
        return arena.words();
    }

    /** From now on notes what is written, for one who keeps a copy elsewhere. */
    public void record(GrowingWords by) {
        arena.record(by);
    }

    /** Offset of the directory of now. */
    public int directory() {
        return directory;
    }

    /** Number of tuples. */
    public int tuples() {
        return tuples.size();
    }

    /** Entries that were not removed. */
    public int live() {
        return live;
    }

    /** Words that were ever used. */
    public int spentWords() {
        return arena.size();
    }

    /** Words that the live entries would take alone. */
    public long neededWords() {
        return (long) stride * live * 2 + TuplePruning.words(live);
    }

    /** Returns whether so many insertions cannot pass the budget. */
    public boolean hasRoom(int insertions) {
        long entries = 2L * (stride + 8) * (live + 64L + insertions);
        return arena.hasRoom(entries + 2 * TuplePruning.words(live + insertions));
    }

    /** Bytes, those of what is dead included. */
    public long bytes() {
        return arena.bytes();
    }

    /** Says that no look-up has an older tick, nor will: what counts before it only is dead. */
    public void oldestTick(int tick) {
        oldest = tick;
    }

    /**
     * Adds a rule that counts from a tick on.
     *
     * @param tick no look-up has it yet
     * @param slot number that the caller gives the rule; one that it had before and that was
     *     removed may come again
     * @param precede rules of the base that are better
     * @param sub its place among the entries of that precede, not negative
     * @return offset of the entry, which stays and says when the rule ends, wherever it is copied
     *     to
     * @throws dev.sluice.engine.image.MemoryBudgetException if the budget does not suffice; nothing
     *     is changed then
     */
    public int insert(int tick, int slot, Match match, int precede, long sub) {
        for (int p = 0; p < words; p++) {
            mask[p] = match.mask(layout.word(p));
        }
        int entry = write(tick, slot, match, precede, sub);
        OverlayTuple tuple = choose(entry);
        if (2 * (tuple.linked + 1) > 1 << 32 - tuple.shift) {
            makeRoom(tuple);
        }
        if (pruning.isDue(tuples.size(), live + 1)) {
            pruneAnew();
        }
        link(tuple, entry);
        prune(tuple, entry);
        firstOf[slot] = entry;
        tuple.live++;
        live++;
        return entry;
    }

    /** Offset of the entry that {@link #insert} returned for a slot, 0 if its rule ended. */
    int entry(int slot) {
        return entryOf[slot] == 0 ? 0 : firstOf[slot];
    }

    /** Reads the words of a slot's rule that {@link #remove} will write. */
    void readAhead(int slot, ReadAhead ahead) {
        int[] w = arena.words();
        ahead.see(w[entryOf[slot] + VersionedTuplesLayout.TO]);
        ahead.see(w[firstOf[slot] + VersionedTuplesLayout.TO]);
    }

    /** Ends the rule of a slot with a tick that no look-up has yet. */
    public void remove(int tick, int slot) {
        int entry = slot < entryOf.length ? entryOf[slot] : 0;
        if (entry == 0) {
            throw new IllegalStateException("no rule in slot " + slot);
        }
        arena.set(entry + VersionedTuplesLayout.TO, VersionedTuplesLayout.NEVER - tick);
        int first = firstOf[slot];
        if (first != entry) {
            arena.set(first + VersionedTuplesLayout.TO, VersionedTuplesLayout.NEVER - tick);
        }
        entryOf[slot] = 0;
        tuples.get(tupleOf[slot]).live--;
        live--;
    }

    /** Works out anew which tuples need not be looked into, from the live entries. */
    private void pruneAnew() {
        int named = allocateDirectory(tuples.size());
        pruning.renew(live + 1);
        writeDirectory(named);
        for (OverlayTuple tuple : tuples) {
            int[] w = arena.words();
            for (int chain = 0; chain < tuple.length.length; chain++) {
                int e = w[tuple.table + chain];
                for (; e != 0; e = w[e + VersionedTuplesLayout.NEXT]) {
                    if (w[e + VersionedTuplesLayout.TO] == 0) {
                        prune(tuple, e);
                    }
                }
            }
        }
    }

    private void prune(OverlayTuple tuple, int entry) {
        pruning.add(tuple.index, entry + VersionedTuplesLayout.VALUES, entry + masksAt);
    }

    /** Writes an entry that no chain has; the mask is {@link #mask}. */
    private int write(int tick, int slot, Match match, int precede, long sub) {
        int entry = arena.allocate(stride);
        int[] w = arena.words();
        w[entry + VersionedTuplesLayout.FROM] = VersionedTuplesLayout.NEVER - tick;
        w[entry + VersionedTuplesLayout.PRECEDE] = precede;
        w[entry + VersionedTuplesLayout.SUB_HIGH] = (int) (sub >>> 32);
        w[entry + VersionedTuplesLayout.SUB_LOW] = (int) sub;
        w[entry + VersionedTuplesLayout.SLOT] = slot;
        for (int p = 0; p < words; p++) {
            w[entry + VersionedTuplesLayout.VALUES + p] = match.value(layout.word(p));
            w[entry + masksAt + p] = mask[p];
        }
        w[entry + portsAt + VersionedTuplesLayout.SRC_PORTS] = match.srcPorts();
        w[entry + portsAt + VersionedTuplesLayout.DST_PORTS] = match.dstPorts();
        return entry;
    }

    /** The tuple for an entry, opened if need be. */
    private OverlayTuple choose(int entry) {
        OverlayTuple tuple = OverlayTuple.longest(tuples, layout, mask);
        if (tuple == null) {
            boolean room = OverlayTuple.hasRoom(tuples);
            return open(room ? RelaxedMask.of(layout, mask) : new int[words]);
        }
        int chain = key(tuple, entry) >>> tuple.shift;
        if (tuple.length[chain] < tuple.walkAt[chain]) {
            return tuple;
        }
        int same = walk(tuple, chain, entry);
        if (same < Accelerators.CROWDED || !OverlayTuple.hasRoom(tuples)) {
            return tuple;
        }
        int[] longer = tuple.towards(mask);
        return RelaxedMask.bits(longer) > tuple.bits ? open(longer) : tuple;
    }

    /** Digest of an entry's key under a tuple's mask. */
    private int key(OverlayTuple tuple, int entry) {
        return KeyMasks.hash(tuple.mask, arena.words(), entry + VersionedTuplesLayout.VALUES);
    }

    private OverlayTuple open(int[] tupleMask) {
        if (tuples.size() >= VersionedTuplesLayout.MOST_TUPLES) {
            throw new IllegalStateException(tuples.size() + " tuples are open, and no more may be");
        }
        OverlayTuple tuple = new OverlayTuple(tuples.size(), tupleMask);
        int named = allocateDirectory(tuples.size() + 1);
        newTable(tuple, SMALLEST_TABLE_BITS);
        tuples.add(tuple);
        writeDirectory(named);
        return tuple;
    }

    /** Takes the dead out of a tuple's chains; where that is not enough, makes a larger table. */
    private void makeRoom(OverlayTuple tuple) {
        int size = 1 << 32 - tuple.shift;
        if (tuple.linked - tuple.live > size / 8) {
            for (int chain = 0; chain < size; chain++) {
                walk(tuple, chain, 0);
            }
        }
        if (4 * (tuple.linked + 1) <= size || 32 - tuple.shift >= LARGEST_TABLE_BITS) {
            return;
        }
        int bits = SMALLEST_TABLE_BITS;
        while (1L << bits < 6L * (tuple.live + 1L) && bits < LARGEST_TABLE_BITS) {
            bits++;
        }
        int before = tuple.table;
        // What can fail comes before what changes anything.
        int block = arena.allocate(Math.max(1, (long) stride * tuple.live));
        int named = allocateDirectory(tuples.size());
        newTable(tuple, bits);
        writeDirectory(named);
        copyLive(tuple, before, size, block);
    }

    /** Links copies of the live entries of a table, which lie in a block, to the tuple's table. */
    private void copyLive(OverlayTuple tuple, int table, int size, int block) {
        int[] w = arena.words();
        int to = block;
        tuple.linked = 0;
        for (int head = table; head < table + size; head++) {
            for (int e = w[head]; e != 0; e = w[e + VersionedTuplesLayout.NEXT]) {
                if (w[e + VersionedTuplesLayout.TO] == 0) {
                    System.arraycopy(w, e, w, to, stride);
                    w[to + VersionedTuplesLayout.NEXT] = 0;
                    link(tuple, to);
                    to += stride;
                }
            }
        }
    }

    /** A record and an empty table. */
    private void newTable(OverlayTuple tuple, int bits) {
        int size = 1 << bits;
        int terms = KeyMasks.terms(tuple.mask);
        int table = arena.allocate(size);
        int record =
                arena.allocate(
                        VersionedTuplesLayout.FIRST_TERM
                                + (long) VersionedTuplesLayout.TERM * terms);
        arena.set(record + VersionedTuplesLayout.BEST, Integer.MAX_VALUE);
        arena.set(record + VersionedTuplesLayout.TABLE, table);
        arena.set(record + VersionedTuplesLayout.SHIFT, 32 - bits);
        arena.set(record + VersionedTuplesLayout.TERMS, terms);
        KeyMasks.write(tuple.mask, arena, record + VersionedTuplesLayout.FIRST_TERM);
        tuple.record = record;
        tuple.table = table;
        tuple.shift = 32 - bits;
        tuple.linked = 0;
        tuple.last = new int[size];
        tuple.length = new int[size];
        tuple.walkAt = new int[size];
        Arrays.fill(tuple.walkAt, WALK);
    }

    private int allocateDirectory(int count) {
        return arena.allocate(VersionedTuplesLayout.RECORDS + (long) count);
    }

    private void writeDirectory(int at) {
        arena.set(at + VersionedTuplesLayout.TUPLES, tuples.size());
        arena.set(at + VersionedTuplesLayout.PRUNING, pruning.block());
        for (OverlayTuple tuple : tuples) {
            arena.set(at + VersionedTuplesLayout.RECORDS + tuple.index, tuple.record);
        }
        directory = at;
    }

    /** Links a written entry behind the last one of its chain. */
    private void link(OverlayTuple tuple, int entry) {
        int[] w = arena.words();
        int key = key(tuple, entry);
        w[entry + VersionedTuplesLayout.DIGEST] = key;
        arena.changed(entry, stride);
        int precede = w[entry + VersionedTuplesLayout.PRECEDE];
        if (precede < w[tuple.record + VersionedTuplesLayout.BEST]) {
            arena.set(tuple.record + VersionedTuplesLayout.BEST, precede);
        }
        int chain = key >>> tuple.shift;
        int last = tuple.last[chain];
        arena.set(last == 0 ? tuple.table + chain : last + VersionedTuplesLayout.NEXT, entry);
        tuple.last[chain] = entry;
        tuple.length[chain]++;
        tuple.linked++;
        int slot = w[entry + VersionedTuplesLayout.SLOT];
        if (slot >= entryOf.length) {
            entryOf = Arrays.copyOf(entryOf, Math.max(slot + 1, 2 * entryOf.length));
            tupleOf = Arrays.copyOf(tupleOf, entryOf.length);
            firstOf = Arrays.copyOf(firstOf, entryOf.length);
        }
        entryOf[slot] = entry;
        tupleOf[slot] = (byte) tuple.index;
    }

    /**
     * Takes the dead out of a chain.
     *
     * @param like an entry that is in no chain, or 0
     * @return entries of its key that still count
     */
    private int walk(OverlayTuple tuple, int chain, int like) {
        int[] w = arena.words();
        int key = like == 0 ? 0 : key(tuple, like);
        int same = 0;
        int length = 0;
        int before = tuple.table + chain;
        int last = 0;
        for (int e = w[before]; e != 0; e = w[e + VersionedTuplesLayout.NEXT]) {
            int to = w[e + VersionedTuplesLayout.TO];
            if (to != 0 && VersionedTuplesLayout.NEVER - to <= oldest) {
                continue;
            }
            if (w[before] != e) {
                arena.set(before, e);
            }
            before = e + VersionedTuplesLayout.NEXT;
            last = e;
            length++;
            same += to == 0 && w[e + VersionedTuplesLayout.DIGEST] == key ? 1 : 0;
        }
        if (w[before] != 0) {
            arena.set(before, 0);
        }
        tuple.linked -= tuple.length[chain] - length;
        tuple.length[chain] = length;
        tuple.last[chain] = last;
        tuple.walkAt[chain] = length + Math.max(WALK, length / 4);
        return same;
    }
}
