package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;

/** Inserts all rules into a tuple for each mask, and seals the image. */
public final class TupleCompiler {
    static final String LABEL = "tuple";
    static final int CODE = 2;
    static final AlgorithmOption<Boolean> EXPAND_RANGES =
            AlgorithmOption.flag(
                    "expand-ranges",
                    "tuple: cut port ranges into prefixes instead of verifying them");

    private TupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        boolean expand = context.get(EXPAND_RANGES);
        TupleSpaceStructure structure =
                new TupleSpaceStructure(
                        new TupleTables(rules.layout(), arena, TupleTables.Settings.DENSE));
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
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }
}
