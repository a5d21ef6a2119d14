package dev.sluice.engine.merged;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.ArenaStructure;
import dev.sluice.engine.tuplespace.RuleMask;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Few classes with relaxed masks: a rule goes to any class whose mask its own contains, and is
 * verified in full there. Where too many rules share a key, the class is split: those that name
 * more go to a class that asks for more. Not thread-safe.
 */
public final class MergedTupleStructure implements ArenaStructure {
    private static final int COLLISION_LIMIT = 16;

    private final TupleTables space;
    private final HeaderLayout layout;
    private final int collisionLimit;
    private static final int COUNT_EVERY = 8;

    private int uncounted;
    private final List<Tuple> planned = new ArrayList<>();

    /** An empty space. */
    public MergedTupleStructure(HeaderLayout layout, Arena arena) {
        this(layout, arena, TupleTables.Settings.ROOMY, COLLISION_LIMIT);
    }

    /** An empty space with a limit of rules that share a key. */
    public MergedTupleStructure(
            HeaderLayout layout, Arena arena, TupleTables.Settings settings, int collisionLimit) {
        this.space = new TupleTables(layout, arena, settings);
        this.layout = layout;
        this.collisionLimit = collisionLimit;
    }

    /**
     * Opens classes that rules go to first, in this order, if their masks contain the class's.
     *
     * @param masks in the layout's words
     */
    public void plan(List<int[]> masks) {
        for (int[] mask : masks) {
            planned.add(space.open(mask));
        }
    }

    /** The classes. */
    public TupleTables tables() {
        return space;
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        RuleMask mask = space.writeRow(slot, rank, match);
        Tuple target = mask.target;
        if (target == null || mask.targetVersion != space.version()) {
            target = compatible(mask.words);
            if (target == null) {
                target = space.open(relaxed(mask.words));
            }
            mask.target = target;
            mask.targetVersion = space.version();
        }
        int better = space.put(target, slot);
        // Counting a key's rules reads them all; who comes behind few of them need not each time.
        boolean count = better >= collisionLimit / 2 || (++uncounted & COUNT_EVERY - 1) == 0;
        if (count && target.rules > collisionLimit && space.keyCount(slot) > collisionLimit) {
            split(slot);
        }
    }

    private static boolean contains(int[] mask, int[] part) {
        for (int p = 0; p < mask.length; p++) {
            if ((part[p] & ~mask[p]) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int bits(int[] mask) {
        int bits = 0;
        for (int word : mask) {
            bits += Integer.bitCount(word);
        }
        return bits;
    }

    /** The class with the longest mask that a rule's mask contains. */
    private @Nullable Tuple compatible(int[] mask) {
        for (Tuple tuple : planned) {
            if (!tuple.closed && contains(mask, tuple.mask)) {
                return tuple;
            }
        }
        Tuple best = null;
        int most = -1;
        for (Tuple tuple : space.order()) {
            if (contains(mask, tuple.mask)) {
                int bits = bits(tuple.mask);
                if (bits > most) {
                    most = bits;
                    best = tuple;
                }
            }
        }
        // A class far shorter than the rule would fill with rules of one key: better a new one.
        return best != null && (most > 0 || bits(mask) == 0) ? best : null;
    }

    /** Addresses lose up to a quarter of their bits, ports go where an address stays. */
    private int[] relaxed(int[] mask) {
        int[] relaxed = mask.clone();
        boolean address = false;
        for (int p = 0; p < mask.length; p++) {
            if (isAddress(layout.word(p))) {
                int ones = Integer.numberOfLeadingZeros(~mask[p]);
                boolean prefix = ones == 32 || mask[p] << ones == 0;
                if (prefix && ones > 0) {
                    int kept = ones >= 24 ? 20 : ones >= 16 ? 14 : ones >= 8 ? 8 : ones / 2;
                    relaxed[p] = kept == 0 ? 0 : -1 << 32 - kept;
                }
                address |= relaxed[p] != 0;
            }
        }
        for (int p = 0; p < mask.length; p++) {
            if (address && layout.word(p) == HeaderWord.PORTS) {
                relaxed[p] = 0;
            }
            if (layout.word(p) == HeaderWord.IP && address) {
                relaxed[p] &= 0xff; // the protocol
            }
        }
        return relaxed;
    }

    private static boolean isAddress(int word) {
        return word == HeaderWord.IPV4_SRC
                || word == HeaderWord.IPV4_DST
                || word >= HeaderWord.IPV6_SRC;
    }

    /**
     * Splits the class of a slot whose key has too many rules: the mask that most of them share is
     * the mask of a new class, and all rules of the old class that contain it move.
     */
    private void split(int slot) {
        Tuple tuple = space.tupleOfSlot(slot);
        int[] chain = space.slotsOfKey(slot);
        int[] refined = refine(tuple.mask, chain);
        if (refined.length == 0) {
            return; // nothing more tells them apart
        }
        Tuple to = null;
        for (Tuple other : space.order()) {
            if (Arrays.equals(other.mask, refined)) {
                to = other;
            }
        }
        if (to == null) {
            to = space.open(refined);
        }
        for (int s : chain) {
            if (contains(space.maskOfSlot(s), refined)) {
                space.take(s, true);
                space.put(to, s);
            }
        }
        space.closeIfEmpty(tuple);
        int largest = 0;
        for (int s : chain) {
            if (space.tupleOfSlot(s) == to) {
                largest = Math.max(largest, space.keyCount(s));
            }
        }
        if (largest > collisionLimit && largest < chain.length + collisionLimit) {
            for (int s : chain) {
                if (space.tupleOfSlot(s) == to && space.keyCount(s) > collisionLimit) {
                    split(s);
                    break;
                }
            }
        }
    }

    /**
     * A longer mask for half of a chain or more: bits that most of the chain's rules name, as far
     * as they name them all; empty where there is none.
     */
    private int[] refine(int[] mask, int[] chain) {
        int[] best = {};
        int bestGain = 0;
        for (int s : chain) {
            int[] candidate = space.maskOfSlot(s).clone();
            int served = 0;
            for (int pass = 0; pass < 2; pass++) {
                served = 0;
                for (int other : chain) {
                    int[] theirs = space.maskOfSlot(other);
                    if (contains(theirs, candidate)) {
                        served++;
                    } else if (pass == 0 && overlapGain(theirs, candidate, mask) > 0) {
                        int[] both = and(theirs, candidate);
                        if (bits(both) >= bits(candidate) - 8) {
                            candidate = both;
                        }
                    }
                }
            }
            int gain = Math.min(16, bits(candidate) - bits(mask)) * served;
            if (gain > bestGain && bits(candidate) > bits(mask)) {
                bestGain = gain;
                best = candidate;
            }
        }
        return best;
    }

    private static int overlapGain(int[] a, int[] b, int[] mask) {
        return bits(and(a, b)) - bits(mask);
    }

    private static int[] and(int[] a, int[] b) {
        int[] both = new int[a.length];
        for (int p = 0; p < a.length; p++) {
            both[p] = a[p] & b[p];
        }
        return both;
    }

    @Override
    public void remove(int slot) {
        space.remove(slot);
    }

    @Override
    public void readAhead(int slot) {
        space.readAhead(slot);
    }

    @Override
    public void rerank(int[] rankOfSlot) {
        space.rerank(rankOfSlot);
    }

    @Override
    public void search(int[] words, HeaderBatch headers, int[] ranks, int[] slots) {
        TupleSearch.inOrder(words, headers, ranks, slots);
    }

    @Override
    public Arena arena() {
        return space.arena();
    }
}
