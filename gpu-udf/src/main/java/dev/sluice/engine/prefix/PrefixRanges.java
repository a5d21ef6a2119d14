package dev.sluice.engine.prefix;

import dev.sluice.engine.image.WordWriter;
import org.jspecify.annotations.Nullable;

/**
 * Longest-prefix match on one word by binary search. The prefixes lie in ascending order, in chunks
 * by their upper 16 bits, and a root table tells the chunk of an address. The last prefix of the
 * chunk that starts at or before the address is the longest one around it, or, if it does not
 * contain the address, one of the prefixes around that one is (chunks after M. Zec, L. Rizzo, M.
 * Mikuc, "DXR: towards a billion routing lookups per second in software", CCR 2012).
 *
 * <p>{@link PrefixRangesLayout} has the words. Memory: 256 KiB and 8 bytes a prefix, the last four
 * of which are read only where the address is not within the prefix found first. Immutable.
 *
 * @param root for each chunk its first prefix and their number
 * @param ranges for each prefix its first and last address within its chunk
 * @param parents for each prefix the longest one around it
 */
public record PrefixRanges(int[] root, int[] ranges, int[] parents) {
    private static final int MOST_IN_CHUNK = PrefixRangesLayout.COUNT;
    private static final int MOST_PREFIXES = (1 << 32 - PrefixRangesLayout.COUNT_BITS) - 1;

    /** The ranges of prefixes of at most 32 bits, null if a chunk or all of them are too many. */
    public static @Nullable PrefixRanges of(PrefixSet set) {
        int n = set.size();
        if (n > MOST_PREFIXES) {
            return null;
        }
        int[] root = new int[PrefixRangesLayout.CHUNKS];
        int[] ranges = new int[n + 1];
        int[] parents = new int[n + 1];
        int next = 0;
        for (int chunk = 0; chunk < PrefixRangesLayout.CHUNKS; chunk++) {
            int first = next;
            while (next < n
                    && set.prefixes[next].word(0) >>> 32 - PrefixRangesLayout.CHUNK_BITS == chunk) {
                Prefix p = set.prefixes[next];
                int lower = p.word(0) & PrefixRangesLayout.WITHIN_CHUNK;
                int parent = set.parent[next];
                boolean holds = parent < 0 || set.prefixes[parent].length() <= 16;
                ranges[next + 1] =
                        lower << PrefixRangesLayout.FIRST_SHIFT
                                | lower
                                | (int) (0xffffL >>> Math.max(0, p.length() - 16));
                parents[next + 1] = parent + 1 | (holds ? PrefixRangesLayout.HOLDS_CHUNK : 0);
                next++;
            }
            if (next - first > MOST_IN_CHUNK) {
                return null;
            }
            int around = next - 1;
            Prefix whole = new Prefix((long) chunk << 48, 0, 16);
            while (next == first && around >= 0 && !set.prefixes[around].covers(whole)) {
                around = set.parent[around];
            }
            root[chunk] =
                    next > first
                            ? first + 1 << PrefixRangesLayout.COUNT_BITS | next - first
                            : around + 1 << PrefixRangesLayout.COUNT_BITS;
        }
        return new PrefixRanges(root, ranges, parents);
    }

    /** Writes root, ranges and parents one behind the other; returns the offset of the root. */
    public int write(WordWriter out) {
        int at = out.reserve(PrefixRangesLayout.CHUNKS + 2L * ranges.length);
        int word = at;
        for (int[] part : new int[][] {root, ranges, parents}) {
            for (int value : part) {
                out.set(word++, value);
            }
        }
        return at;
    }
}
