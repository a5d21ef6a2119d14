package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Inserts all rules into a tuple for each mask, and seals the image. */
public final class TupleCompiler {
    private TupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(TupleAlgorithm.LABEL));
        boolean expand = context.get(TupleAlgorithm.EXPAND_RANGES);
        TupleStructure structure = structure(rules.layout(), arena);
        if (!expand) {
            structure.tables().reserve(rules.size());
        }
        int slot = 0;
        for (int position = 0; position < rules.size(); position++) {
            Match match = rules.rules().get(position).match();
            if (expand && match.hasRange()) {
                for (Match piece : match.prefixes()) {
                    structure.insert(slot++, position, piece);
                }
            } else {
                structure.insert(slot++, position, match);
            }
        }
        return Image.seal(arena.toArray(), TupleAlgorithm.CODE, rules.layout(), rules.size());
    }

    /** An empty structure for rules that come and go. */
    public static RuleStructure live(HeaderLayout layout, CompileContext context) {
        return structure(layout, new Arena(TupleAlgorithm.LABEL, context.budgetBytes()));
    }

    private static TupleStructure structure(HeaderLayout layout, Arena arena) {
        return new TupleStructure(layout, arena, TupleTables.Settings.DENSE);
    }
}
