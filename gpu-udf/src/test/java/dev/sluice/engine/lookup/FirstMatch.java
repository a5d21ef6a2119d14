package dev.sluice.engine.lookup;

import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** The answer that every algorithm must give: the first rule in total order that matches. */
public final class FirstMatch {
    private FirstMatch() {}

    /**
     * Returns the position of the best rule that matches a header, or {@link VerdictBatch#MISS}.
     *
     * @param header {@link dev.sluice.schemas.header.HeaderWord#COUNT} words
     */
    public static int classify(RuleSet rules, int[] header) {
        for (int position = 0; position < rules.size(); position++) {
            if (rules.rules().get(position).match().matches(header)) {
                return position;
            }
        }
        return VerdictBatch.MISS;
    }

    /** Returns the id of the best rule that matches a header; null: none does. */
    public static @Nullable Long ruleId(RuleSet rules, int[] header) {
        int best = classify(rules, header);
        return best == VerdictBatch.MISS ? null : Long.valueOf(rules.rules().get(best).id());
    }
}
