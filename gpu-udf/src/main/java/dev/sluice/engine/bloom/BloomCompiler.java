package dev.sluice.engine.bloom;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Inserts all rules into a tuple and its filter for each mask, and seals the image. */
public final class BloomCompiler {
    /** Label of the algorithm. */
    static final String LABEL = "bloom";

    /** Code of the algorithm in images. */
    static final int CODE = 5;

    private BloomCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        TupleSpaceStructure structure = structure(rules.layout(), arena);
        structure.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }

    /** An empty structure whose tuples have a filter each. */
    static TupleSpaceStructure structure(HeaderLayout layout, Arena arena) {
        return new TupleSpaceStructure(
                new TupleTables(layout, arena, TupleTables.Settings.DENSE, new BloomFilters()));
    }
}
