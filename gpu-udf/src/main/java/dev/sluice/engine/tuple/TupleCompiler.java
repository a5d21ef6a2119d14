package dev.sluice.engine.tuple;

import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.image.Arena;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.space.ClassSpace;
import dev.sluice.engine.space.RuleSpace;
import dev.sluice.engine.space.TupleSpace;
import dev.sluice.schemas.header.HeaderLayout;

/** Fills a class for each mask. */
public final class TupleCompiler {
    private TupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        Arena arena = new Arena(options.algorithm().label(), options.budgetBytes());
        TupleSpace space = space(rules.layout(), arena, options);
        if (!options.expandRanges()) {
            space.classes().reserve(rules.size());
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
    public static RuleSpace live(HeaderLayout layout, CompileOptions options) {
        return space(
                layout, new Arena(options.algorithm().label(), options.budgetBytes()), options);
    }

    private static TupleSpace space(HeaderLayout layout, Arena arena, CompileOptions options) {
        return new TupleSpace(layout, arena, ClassSpace.Settings.dense(options.profile(), 0));
    }
}
