package dev.sluice.engine.linear;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.rules.RuleSet;

/** Writes the rules in total order. */
public final class LinearCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "linear";

    /** Code of the algorithm in images. */
    static final int CODE = 1;

    private LinearCompiler() {}

    /** Compiles a rule set within the budget of a meter, which counts the words. */
    public static Image compile(RuleSet rules, BuildMeter meter) {
        WordWriter out = new WordWriter(LABEL, meter.budgetBytes());
        meter.work((long) rules.size() * RuleTable.stride(rules, 0));
        out.set(LinearLayout.TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(LinearLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(LinearLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        return Image.seal(out.toArray(), CODE, rules.layout(), rules.size());
    }
}
