package dev.sluice.engine.linear;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;

/**
 * Writes the rules in total order. Own words of the image: table, stride, 1 if there are ranges.
 */
public final class LinearCompiler {
    static final int TABLE_AT = Image.OWN_AT;
    static final int STRIDE_AT = Image.OWN_AT + 1;
    static final int RANGES_AT = Image.OWN_AT + 2;

    private LinearCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, long budgetBytes) {
        WordWriter out = new WordWriter(LinearAlgorithm.LABEL, budgetBytes);
        out.set(TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(RANGES_AT, rules.hasRanges() ? 1 : 0);
        return Image.seal(out.toArray(), LinearAlgorithm.CODE, rules.layout(), rules.size());
    }
}
