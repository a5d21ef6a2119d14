package dev.sluice.engine.merged;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.KeyMasks;
import dev.sluice.engine.tuplespace.RuleMask;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Few tuples, with masks that have fewer bits than their rules' masks: a rule may go to any tuple
 * whose mask its own contains, and look-ups compare the whole rule. Where too many rules share a
 * key, those of them whose masks have more bits move to a tuple with a longer mask. Not
 * thread-safe.
 */
public final class MergedTupleStructure {
    /** Rules that may share a key before the tuple is split. */
    private static final int COLLISION_LIMIT = 16;

    /** Rules of a key that are compared with each other at most. */
    private static final int MOST_COMPARED = 128;

    /** A key that could not be split is tried again when it has grown by one in so many rules. */
    private static final int RETRY_SHARE = 8;

    private final TupleTables tables;
    private final Arena arena;
    private final HeaderLayout layout;

    /** For keys that stayed long, by tuple and digest, how many rules they have at the next try. */
    private final LongIntMap retries = new LongIntMap();

    /** A power of two: one in so many insertions counts the rules of its key in any case. */
    private static final int COUNT_EVERY = 8;

    private int uncounted;
    private final List<Tuple> first = new ArrayList<>();

    /** An empty structure. */
    public MergedTupleStructure(HeaderLayout layout, Arena arena) {
        this.tables = new TupleTables(layout, arena, TupleTables.Settings.ROOMY);
        this.arena = arena;
        this.layout = layout;
    }

    /**
     * Opens tuples for masks. From then on a rule goes to the first of them whose mask its own
     * contains; only if there is none, another tuple is looked for.
     *
     * @param masks in the layout's words
     */
    public void openFirst(List<int[]> masks) {
        for (int[] mask : masks) {
            first.add(tables.open(mask));
        }
    }

    /** The tuples. */
    public TupleTables tables() {
        return tables;
    }

    /** The memory. */
    public Arena arena() {
        return arena;
    }

    /**
     * Adds a rule.
     *
     * @param slot number that the caller gives the rule, unused so far
     * @param rank place in the total order, smaller is better; unique
     */
    public void insert(int slot, int rank, Match match) {
        RuleMask mask = tables.writeRow(slot, rank, match);
        Tuple target = mask.target;
        if (target == null || mask.targetVersion != tables.version()) {
            target = compatible(mask.words);
            if (target == null) {
                target = tables.open(RelaxedMask.of(layout, mask.words));
            }
            mask.target = target;
            mask.targetVersion = tables.version();
        }
        int better = tables.put(target, slot);
        // Counting the rules of a key reads them all. With few better ones of the key there are
        // seldom too many, so they are not counted each time.
        boolean count = better >= COLLISION_LIMIT / 2 || (++uncounted & COUNT_EVERY - 1) == 0;
        if (count && target.rules > COLLISION_LIMIT) {
            int rules = tables.keyCount(slot);
            if (rules > COLLISION_LIMIT && rules >= retryAt(target, slot)) {
                split(slot);
            }
        }
    }

    /** Rules of a slot's key from which on splitting it is worth another try. */
    private int retryAt(Tuple tuple, int slot) {
        return retries.size() == 0 ? 0 : retries.get(key(tuple, slot));
    }

    private long key(Tuple tuple, int slot) {
        int digest = tables.digest(tuple, slot, TupleSpaceLayout.SEED);
        return (long) tuple.record << 32 | digest & 0xffffffffL;
    }

    /** The tuple that takes rules of a mask: the one with the longest mask that this contains. */
    private @Nullable Tuple compatible(int[] mask) {
        for (Tuple tuple : first) {
            if (!tuple.closed && KeyMasks.contains(mask, tuple.mask)) {
                return tuple;
            }
        }
        Tuple best = null;
        int most = -1;
        arena.work((long) BuildMeter.JUMP * tables.count());
        for (Tuple tuple : tables.order()) {
            if (KeyMasks.contains(mask, tuple.mask)) {
                int bits = RelaxedMask.bits(tuple.mask);
                if (bits > most) {
                    most = bits;
                    best = tuple;
                }
            }
        }
        // In a tuple whose mask is empty all rules share a key: better a new tuple.
        return best != null && (most > 0 || RelaxedMask.bits(mask) == 0) ? best : null;
    }

    /**
     * Splits the tuple of a slot whose key has too many rules: the rules of the key whose masks
     * contain a longer mask, chosen to serve most of them, move to the tuple of that mask.
     */
    private void split(int slot) {
        Tuple tuple = tables.tupleOfSlot(slot);
        int[] chain = tables.slotsOfKey(slot);
        int[] refined = refine(tuple.mask, chain);
        // A key that stays long is not looked at again with each of its rules.
        retries.put(key(tuple, slot), chain.length + Math.max(1, chain.length / RETRY_SHARE));
        if (refined.length == 0) {
            return; // no longer mask tells the rules of the key apart
        }
        Tuple to = null;
        for (Tuple other : tables.order()) {
            if (Arrays.equals(other.mask, refined)) {
                to = other;
            }
        }
        if (to == null) {
            to = tables.open(refined);
        }
        for (int s : chain) {
            if (KeyMasks.contains(tables.maskOfSlot(s), refined)) {
                tables.take(s);
                tables.put(to, s);
            }
        }
        tables.closeIfEmpty(tuple);
        arena.work((long) BuildMeter.JUMP * chain.length);
        int largest = 0;
        for (int s : chain) {
            if (tables.tupleOfSlot(s) == to) {
                largest = Math.max(largest, tables.keyCount(s));
            }
        }
        if (largest > COLLISION_LIMIT && largest < chain.length + COLLISION_LIMIT) {
            for (int s : chain) {
                if (tables.tupleOfSlot(s) == to && tables.keyCount(s) > COLLISION_LIMIT) {
                    split(s);
                    break;
                }
            }
        }
    }

    /**
     * The mask to which rules of a key move: starting from each rule's mask, bits are left out
     * while more rules name those that stay; the best is the one whose additional bits, times the
     * rules that name them all, are the most. Empty if no mask is longer than the tuple's. Of many
     * rules some speak for all.
     */
    private int[] refine(int[] mask, int[] all) {
        int[] best = {};
        int bestGain = 0;
        int[] chain = some(all);
        arena.work(2L * chain.length * chain.length * layout.size());
        for (int s : chain) {
            int[] candidate = tables.maskOfSlot(s).clone();
            int served = 0;
            for (int pass = 0; pass < 2; pass++) {
                served = 0;
                for (int other : chain) {
                    int[] theirs = tables.maskOfSlot(other);
                    if (KeyMasks.contains(theirs, candidate)) {
                        served++;
                    } else if (pass == 0 && overlapGain(theirs, candidate, mask) > 0) {
                        int[] both = and(theirs, candidate);
                        if (RelaxedMask.bits(both) >= RelaxedMask.bits(candidate) - 8) {
                            candidate = both;
                        }
                    }
                }
            }
            int gain = Math.min(16, RelaxedMask.bits(candidate) - RelaxedMask.bits(mask)) * served;
            if (gain > bestGain && RelaxedMask.bits(candidate) > RelaxedMask.bits(mask)) {
                bestGain = gain;
                best = candidate;
            }
        }
        return best;
    }

    private static int[] some(int[] all) {
        if (all.length <= MOST_COMPARED) {
            return all;
        }
        int[] some = new int[MOST_COMPARED];
        Arrays.setAll(some, k -> all[(int) ((long) k * all.length / MOST_COMPARED)]);
        return some;
    }

    private static int overlapGain(int[] a, int[] b, int[] mask) {
        return RelaxedMask.bits(and(a, b)) - RelaxedMask.bits(mask);
    }

    private static int[] and(int[] a, int[] b) {
        int[] both = new int[a.length];
        for (int p = 0; p < a.length; p++) {
            both[p] = a[p] & b[p];
        }
        return both;
    }
}
