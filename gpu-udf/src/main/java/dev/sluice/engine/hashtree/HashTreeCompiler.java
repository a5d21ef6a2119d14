package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;

/** Inserts the rules one by one. */
public final class HashTreeCompiler {
    private HashTreeCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        HashTreeStructure tree =
                tree(
                        rules.layout(),
                        new Arena(context.meter(HashTreeAlgorithm.LABEL)),
                        context,
                        rules.size());
        for (int position = 0; position < rules.size(); position++) {
            tree.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(
                tree.arena().toArray(), HashTreeAlgorithm.CODE, rules.layout(), rules.size());
    }

    /** An empty tree for rules that come and go. */
    public static RuleStructure live(HeaderLayout layout, CompileContext context, int expected) {
        Arena arena = new Arena(HashTreeAlgorithm.LABEL, context.budgetBytes());
        return tree(layout, arena, context, expected);
    }

    private static HashTreeStructure tree(
            HeaderLayout layout, Arena arena, CompileContext context, int expected) {
        return new HashTreeStructure(
                layout, arena, context.get(HashTreeAlgorithm.THRESHOLD), expected);
    }
}
