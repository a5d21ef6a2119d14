package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.RuleStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Fills a class for each mask. */
public final class TupleCompiler {
    private TupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        Arena arena = new Arena(options.algorithm().label(), options.budgetBytes());
        TupleStructure space = space(rules.layout(), arena, options);
        if (!options.expandRanges()) {
            space.tables().reserve(rules.size());
        }
        int slot = 0;
        for (int position = 0; position < rules.size(); position++) {
            Match match = rules.rules().get(position).match();
            if (options.expandRanges() && match.hasRange()) {
                for (Match piece : match.prefixes()) {
                    space.insert(slot++, position, piece);
                }
            } else {
                space.insert(slot++, position, match);
            }
        }
        return Image.seal(
                arena.toArray(), options.algorithm().code(), rules.layout(), rules.size());
    }

    /** An empty space for rules that come and go. */
    public static RuleStructure live(HeaderLayout layout, CompileOptions options) {
        return space(
                layout, new Arena(options.algorithm().label(), options.budgetBytes()), options);
    }

    private static TupleStructure space(HeaderLayout layout, Arena arena, CompileOptions options) {
        return new TupleStructure(layout, arena, TupleTables.Settings.dense(options.profile()));
    }
}
