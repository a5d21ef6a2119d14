package dev.sluice.engine.maskfilter;

import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.image.Arena;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.space.ClassSpace;
import dev.sluice.engine.space.MatrixSpace;
import dev.sluice.engine.space.RuleSpace;
import dev.sluice.schemas.header.HeaderLayout;

/** Chooses keys, fills the matrix and the classes behind it. */
public final class MaskFilterCompiler {
    private MaskFilterCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        Arena arena = new Arena(options.algorithm().label(), options.budgetBytes());
        MatrixSpace space =
                new MatrixSpace(rules, rules.layout(), arena, ClassSpace.Settings.DENSE, false);
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(
                arena.toArray(), options.algorithm().code(), rules.layout(), rules.size());
    }

    /** A space for rules that come and go, its keys chosen for the rules given; empty. */
    public static RuleSpace live(RuleSet like, HeaderLayout layout, CompileOptions options) {
        return new MatrixSpace(
                like,
                layout,
                new Arena(options.algorithm().label(), options.budgetBytes()),
                ClassSpace.Settings.ROOMY,
                true);
    }
}
