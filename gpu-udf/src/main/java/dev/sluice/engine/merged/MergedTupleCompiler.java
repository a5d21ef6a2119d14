package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;

/** Fills few classes with relaxed masks. */
public final class MergedTupleCompiler {
    private MergedTupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(MergedTupleAlgorithm.LABEL, context.budgetBytes());
        MergedTupleStructure space = new MergedTupleStructure(rules.layout(), arena);
        space.plan(MergedMasks.of(rules, rules.layout()));
        space.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        space.tables().sign();
        KeyLists.write(space.tables(), rules.size());
        return Image.seal(arena.toArray(), MergedTupleAlgorithm.CODE, rules.layout(), rules.size());
    }

    /** A space for rules that come and go, its classes planned for the rules given; empty. */
    public static RuleStructure live(RuleSet like, HeaderLayout layout, CompileContext context) {
        MergedTupleStructure space =
                new MergedTupleStructure(
                        layout, new Arena(MergedTupleAlgorithm.LABEL, context.budgetBytes()));
        space.plan(MergedMasks.of(like, layout));
        return space;
    }
}
