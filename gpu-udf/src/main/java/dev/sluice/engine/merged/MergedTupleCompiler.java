package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.RuleStructure;
import dev.sluice.schemas.header.HeaderLayout;

/** Fills few classes with relaxed masks. */
public final class MergedTupleCompiler {
    private MergedTupleCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        Arena arena = new Arena(options.algorithm().label(), options.budgetBytes());
        MergedTupleStructure space = new MergedTupleStructure(rules.layout(), arena);
        space.plan(MergedMasks.of(rules, rules.layout()));
        space.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        space.tables().sign();
        KeyLists.write(space.tables(), rules.size());
        return Image.seal(
                arena.toArray(), options.algorithm().code(), rules.layout(), rules.size());
    }

    /** A space for rules that come and go, its classes planned for the rules given; empty. */
    public static RuleStructure live(RuleSet like, HeaderLayout layout, CompileOptions options) {
        MergedTupleStructure space =
                new MergedTupleStructure(
                        layout, new Arena(options.algorithm().label(), options.budgetBytes()));
        space.plan(MergedMasks.of(like, layout));
        return space;
    }
}
