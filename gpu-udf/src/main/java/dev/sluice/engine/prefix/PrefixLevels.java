package dev.sluice.engine.prefix;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Longest-prefix match on one word with the same few loads for every address: a trie with fixed
 * strides, in which equal subtrees of a level have one number. A table's entries are the numbers of
 * subtrees of the next level, in the last level numbers of prefixes; every search goes through all
 * levels.
 */
public final class PrefixLevels {
    /** Bits of the levels that are tried, fewer levels first. */
    private static final int[][] STRIDES = {{16, 8, 8}, {16, 6, 5, 5}};

    /** If tables take more bytes, about half of a core's cache, shorter strides are tried. */
    private static final long COARSE_UP_TO_BYTES = 512 << 10;

    private static final int COARSE_UP_TO_PREFIXES = 10_000;

    private final PrefixSet set;
    private final int[] widths;
    private final List<Map<IntBuffer, Integer>> classes = new ArrayList<>();
    private final List<List<int[]>> rows = new ArrayList<>();

    private PrefixLevels(PrefixSet set, int[] widths) {
        this.set = set;
        this.widths = widths;
        for (int l = 0; l < widths.length; l++) {
            classes.add(new HashMap<>());
            rows.add(new ArrayList<>());
        }
    }

    /**
     * The tables of a set of prefixes of at most 32 bits: entries are 1 + index of the longest
     * prefix, 0 for none. Null if they would take more bytes than given.
     */
    public static @Nullable PrefixTables of(PrefixSet set, int word, long mostBytes) {
        PrefixTables best = null;
        long least = mostBytes + 1;
        for (int[] widths : STRIDES) {
            if (set.size() > COARSE_UP_TO_PREFIXES && widths.length == 3) {
                continue;
            }
            PrefixTables tables = new PrefixLevels(set, widths).build(word);
            long bytes = 0;
            for (int l = 0; l < widths.length; l++) {
                bytes += (tables.classes()[l] > 1 << 16 ? 4L : 2L) * tables.tables().get(l).length;
            }
            if (bytes < least) {
                least = bytes;
                best = tables;
            }
            if (bytes <= COARSE_UP_TO_BYTES) {
                break;
            }
        }
        return best;
    }

    private PrefixTables build(int word) {
        boolean wild = set.size() > 0 && set.prefixes[0].length() == 0;
        subtree(wild ? 1 : 0, set.size(), 0, 0, wild ? 1 : 0);
        List<int[]> tables = new ArrayList<>();
        int[] counts = new int[widths.length];
        for (int l = 0; l < widths.length; l++) {
            int width = 1 << widths[l];
            List<int[]> levelRows = rows.get(l);
            int[] table = new int[levelRows.size() * width];
            for (int r = 0; r < levelRows.size(); r++) {
                System.arraycopy(levelRows.get(r), 0, table, r * width, width);
            }
            tables.add(table);
            counts[l] = l + 1 == widths.length ? set.size() + 1 : rows.get(l + 1).size();
        }
        return new PrefixTables(word, widths, tables, counts);
    }

    /** Number, at its level, of the subtree below a depth whose prefixes are from..to-1. */
    private int subtree(int from, int to, int level, int depth, int best) {
        if (level == widths.length) {
            return best;
        }
        int width = widths[level];
        int[] entries = new int[1 << width];
        int below = depth + width;
        int constant = from == to ? subtree(from, from, level + 1, below, best) : 0;
        if (from == to) {
            Arrays.fill(entries, constant);
        } else {
            PrefixChildren children = PrefixChildren.of(set, from, to, depth, width, best);
            int[] bestOf = children.best();
            int[] first = children.first();
            int[] last = children.last();
            int before = -1;
            for (int v = 0; v < entries.length; v++) {
                boolean same = v > 0 && last[v] == 0 && last[v - 1] == 0 && bestOf[v] == before;
                before = bestOf[v];
                entries[v] =
                        same
                                ? entries[v - 1]
                                : subtree(first[v], last[v], level + 1, below, bestOf[v]);
            }
        }
        List<int[]> levelRows = rows.get(level);
        return classes.get(level)
                .computeIfAbsent(
                        IntBuffer.wrap(entries),
                        r -> {
                            levelRows.add(r.array());
                            return levelRows.size() - 1;
                        });
    }
}
