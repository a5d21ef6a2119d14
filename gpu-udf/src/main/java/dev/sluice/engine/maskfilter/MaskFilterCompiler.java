package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleTables;

/** Chooses keys, inserts all rules into tuples and the matrix before them, and seals the image. */
public final class MaskFilterCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "mask-filter";

    /** Code of the algorithm in images. */
    static final int CODE = 12;

    private MaskFilterCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        MaskFilterStructure structure =
                new MaskFilterStructure(rules, arena, TupleTables.Settings.DENSE);
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }
}
