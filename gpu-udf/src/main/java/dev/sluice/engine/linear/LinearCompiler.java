package dev.sluice.engine.linear;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;

/** Writes the rules in total order. */
public final class LinearCompiler {
    private LinearCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, long budgetBytes) {
        WordWriter out = new WordWriter(LinearAlgorithm.LABEL, budgetBytes);
        out.set(LinearLayout.TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(LinearLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(LinearLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        return Image.seal(out.toArray(), LinearAlgorithm.CODE, rules.layout(), rules.size());
    }
}
