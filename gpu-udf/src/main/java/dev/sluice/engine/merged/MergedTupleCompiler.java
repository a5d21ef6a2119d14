package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;

/** Inserts all rules into merged tuples, writes signatures and lists, and seals the image. */
public final class MergedTupleCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "merged-tuple";

    /** Code of the algorithm in images. */
    static final int CODE = 4;

    private MergedTupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        MergedTupleStructure structure = new MergedTupleStructure(rules.layout(), arena);
        structure.openFirst(MergedMasks.of(rules, rules.layout()));
        structure.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        structure.tables().sign();
        KeyLists.write(structure.tables(), rules.size());
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }
}
