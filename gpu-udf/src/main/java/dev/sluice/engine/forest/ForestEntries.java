package dev.sluice.engine.forest;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the trees cut: values and masks only. A rule with port ranges becomes one entry a prefix of
 * the range, in total order; a rule that would take too many gets its ranges left wild, which is
 * only a larger region: leaves verify rules exactly.
 */
final class ForestEntries {
    private static final int MOST_PIECES = 64;

    /** Value and mask of entry e at layout position p: {@code [p][e]}. */
    final int[][] values;

    final int[][] masks;

    /** Position of the entry's rule. */
    final int[] positions;

    /** Whether the entry lies wholly within its rule, so that it can hide rules behind it. */
    final boolean[] exact;

    private ForestEntries(int words, int count) {
        values = new int[words][count];
        masks = new int[words][count];
        positions = new int[count];
        exact = new boolean[count];
    }

    int count() {
        return positions.length;
    }

    static ForestEntries of(RuleSet rules) {
        HeaderLayout layout = rules.layout();
        int ports = layout.position(HeaderWord.PORTS);
        List<List<int[]>> pieces = new ArrayList<>(rules.size());
        int count = 0;
        for (Rule rule : rules.rules()) {
            List<int[]> of = pieces(rule.match());
            pieces.add(of);
            count += of.size();
        }
        ForestEntries entries = new ForestEntries(layout.size(), count);
        int e = 0;
        for (int r = 0; r < rules.size(); r++) {
            Match match = rules.rules().get(r).match();
            for (int[] piece : pieces.get(r)) {
                for (int p = 0; p < layout.size(); p++) {
                    entries.values[p][e] = match.value(layout.word(p));
                    entries.masks[p][e] = match.mask(layout.word(p));
                }
                if (ports >= 0) {
                    entries.values[ports][e] |= piece[0];
                    entries.masks[ports][e] |= piece[1];
                }
                entries.positions[e] = r;
                entries.exact[e] = piece[2] == 1;
                e++;
            }
        }
        return entries;
    }

    /** {value, mask, exact} of the ports word for each piece. */
    private static List<int[]> pieces(Match match) {
        List<int[]> src = prefixes(match.srcPorts(), Field.SRC_PORT.shift());
        List<int[]> dst = prefixes(match.dstPorts(), Field.DST_PORT.shift());
        int exact = 1;
        if (src.size() * dst.size() > MOST_PIECES) {
            // The field with fewer prefixes is the wider range: it tells headers apart the least.
            if (src.size() < dst.size()) {
                src = List.of(new int[2]);
            } else {
                dst = List.of(new int[2]);
            }
            exact = 0;
        }
        List<int[]> pieces = new ArrayList<>(src.size() * dst.size());
        for (int[] s : src) {
            for (int[] d : dst) {
                pieces.add(new int[] {s[0] | d[0], s[1] | d[1], exact});
            }
        }
        return pieces;
    }

    private static List<int[]> prefixes(int range, int shift) {
        if (range == 0xffff) {
            return List.of(new int[2]);
        }
        List<int[]> prefixes = new ArrayList<>();
        int low = range >>> 16;
        int high = range & 0xffff;
        while (low <= high) {
            int size = low == 0 ? 0x10000 : Integer.lowestOneBit(low);
            while (size > high - low + 1) {
                size >>>= 1;
            }
            prefixes.add(new int[] {low << shift, (-size & 0xffff) << shift});
            low += size;
        }
        return prefixes;
    }

    /** Whether every header with these known bits matches the entry. */
    boolean covers(int e, int[] knownMasks) {
        if (!exact[e]) {
            return false;
        }
        for (int p = 0; p < masks.length; p++) {
            // An entry of the node's list agrees with the known values: only the mask decides.
            if ((masks[p][e] & ~knownMasks[p]) != 0) {
                return false;
            }
        }
        return true;
    }

    /** All entries, ascending. */
    int[] all() {
        int[] all = new int[count()];
        Arrays.setAll(all, e -> e);
        return all;
    }
}
