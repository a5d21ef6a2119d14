package dev.sluice.engine.rules;

import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;

/**
 * Matches of a list of rules, column by column.
 *
 * @param ports position of the ports in the layout, negative where it lacks them
 * @param values values by position in the layout, then by rule
 * @param masks masks by position in the layout, then by rule
 * @param srcPorts source port ranges by rule, as {@link Match#srcPorts}
 * @param dstPorts destination port ranges by rule
 */
public record MatchColumns(
        int ports, int[][] values, int[][] masks, int[] srcPorts, int[] dstPorts) {
    /** Columns over a layout that has all words that the rules look at. */
    public static MatchColumns of(List<Rule> rules, HeaderLayout layout) {
        int n = rules.size();
        int words = layout.size();
        int ports = layout.position(HeaderWord.PORTS);
        MatchColumns columns =
                new MatchColumns(
                        ports, new int[words][n], new int[words][n], new int[n], new int[n]);
        for (int r = 0; r < n; r++) {
            Match match = rules.get(r).match();
            for (int p = 0; p < words; p++) {
                columns.values[p][r] = match.value(layout.word(p));
                columns.masks[p][r] = match.mask(layout.word(p));
            }
            columns.srcPorts[r] = match.srcPorts();
            columns.dstPorts[r] = match.dstPorts();
        }
        return columns;
    }
}
