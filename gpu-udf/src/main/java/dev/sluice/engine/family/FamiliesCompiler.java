package dev.sluice.engine.family;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.RuleSet;
import java.util.function.Function;

/** Puts the images of a rule set's parts into one. */
final class FamiliesCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "families";

    /** Code of the algorithm in images. */
    static final int CODE = 14;

    static final AlgorithmOption<AlgorithmChoice> INNER =
            Algorithm.option(
                    "family-algorithm", "families: algorithm of the rules of each IP version");

    private FamiliesCompiler() {}

    /** Returns the algorithm that compiles the parts: one whose images contain none. */
    static AlgorithmChoice inner(CompileContext context) {
        AlgorithmChoice inner = context.get(INNER);
        return Algorithm.of(inner).map(Algorithm::nesting).orElse(0) == 0
                ? inner
                : AlgorithmChoice.AUTO;
    }

    /** Compiles a rule set, each part whole. */
    static Image compile(RuleSet rules, CompileContext context) {
        AlgorithmChoice inner = inner(context);
        return compile(rules, context.budgetBytes(), part -> context.compile(part.rules(), inner));
    }

    /**
     * Compiles a rule set.
     *
     * @param compiler compiles the rules of a part
     * @throws dev.sluice.engine.image.MemoryBudgetException if the parts together pass the budget
     */
    static Image compile(
            RuleSet rules, long budgetBytes, Function<FamilySplit.Part, Image> compiler) {
        WordWriter out = new WordWriter(LABEL, budgetBytes);
        for (FamilySplit.Part part : FamilySplit.of(rules).parts()) {
            int record = out.reserve(FamiliesLayout.RECORD);
            int map = out.append(part.positions(), 1);
            Image inner = compiler.apply(part);
            out.set(record + FamiliesLayout.INNER, out.append(inner.words(), FamiliesLayout.LINE));
            out.set(record + FamiliesLayout.MAP, map);
            for (int v = 0; v < FamiliesLayout.VALUES; v++) {
                if ((part.values() >>> v & 1) != 0) {
                    out.set(FamiliesLayout.PARTS_AT + v, record);
                }
            }
        }
        return Image.seal(out.toArray(), CODE, rules.layout(), rules.size());
    }
}
