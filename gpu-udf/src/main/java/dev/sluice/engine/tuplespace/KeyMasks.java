package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Masks among which algorithms choose the keys that tell a rule set's rules apart: merged tuples
 * for the tuples that they open beforehand, the mask filter for its bit matrix.
 */
public final class KeyMasks {
    private static final int[] PREFIXES = {8, 16, 24, 32};

    private KeyMasks() {}

    /**
     * Masks of one field or of two, addresses cut to several lengths.
     *
     * @param layout the words that a mask has, in this order
     * @param union the bits that any rule names, in the layout's words: no mask has others
     */
    public static List<int[]> candidates(HeaderLayout layout, int[] union) {
        List<int[]> singles = new ArrayList<>();
        for (int p = 0; p < layout.size(); p++) {
            int word = layout.word(p);
            if (word == HeaderWord.IPV4_SRC
                    || word == HeaderWord.IPV4_DST
                    || HeaderWord.isIpv6(word)) {
                for (int length : PREFIXES) {
                    single(singles, layout.size(), p, union[p] & -1 << 32 - length);
                }
                continue;
            }
            if (word >= HeaderWord.MAC_HIGH && word <= HeaderWord.MAC_LOW) {
                single(singles, layout.size(), p, union[p] & 0xffff0000);
                single(singles, layout.size(), p, union[p] & 0xffff);
                continue;
            }
            for (Field field : Field.values()) {
                if (field.word() == word && field.bits() <= 32) {
                    single(singles, layout.size(), p, union[p] & field.maskInWord());
                }
            }
        }
        List<int[]> all = new ArrayList<>(singles);
        for (int a = 0; a < singles.size(); a++) {
            for (int b = a + 1; b < singles.size(); b++) {
                int[] pair = singles.get(a).clone();
                boolean overlap = false;
                for (int p = 0; p < pair.length; p++) {
                    overlap |= (pair[p] & singles.get(b)[p]) != 0;
                    pair[p] |= singles.get(b)[p];
                }
                if (!overlap) {
                    all.add(pair);
                }
            }
        }
        return all;
    }

    private static void single(List<int[]> to, int words, int position, int mask) {
        int[] key = new int[words];
        key[position] = mask;
        if (mask != 0 && to.stream().noneMatch(other -> Arrays.equals(other, key))) {
            to.add(key);
        }
    }

    /** Number of words of a mask that are not 0: its terms. */
    public static int terms(int[] mask) {
        return (int) Arrays.stream(mask).filter(m -> m != 0).count();
    }

    /** Writes a mask's terms from an offset on: position and mask of each of its words. */
    public static void write(int[] mask, Arena arena, int offset) {
        int at = offset;
        for (int p = 0; p < mask.length; p++) {
            if (mask[p] != 0) {
                arena.set(at + TupleSpaceLayout.TERM_POSITION, p);
                arena.set(at + TupleSpaceLayout.TERM_MASK, mask[p]);
                at += TupleSpaceLayout.TERM;
            }
        }
    }

    /**
     * Hash of a header's or a rule's values under a mask.
     *
     * @param key the mask
     * @param words has the values of the layout's words, from {@code at} on
     */
    public static int hash(int[] key, int[] words, int at) {
        int digest = 0;
        for (int p = 0; p < key.length; p++) {
            if (key[p] != 0) {
                digest = TupleSpaceLayout.mix(digest, words[at + p] & key[p]);
            }
        }
        return TupleSpaceLayout.finish(digest);
    }

    /** Tells whether a mask has all bits of another. */
    public static boolean contains(int[] mask, int[] part) {
        for (int p = 0; p < mask.length; p++) {
            if ((part[p] & ~mask[p]) != 0) {
                return false;
            }
        }
        return true;
    }
}
