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
        HashTreeStructure space = space(rules.layout(), context, rules.size());
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(
                space.arena().toArray(), HashTreeAlgorithm.CODE, rules.layout(), rules.size());
    }

    /** An empty tree for rules that come and go. */
    public static RuleStructure live(HeaderLayout layout, CompileContext context, int expected) {
        return space(layout, context, expected);
    }

    private static HashTreeStructure space(
            HeaderLayout layout, CompileContext context, int expected) {
        return new HashTreeStructure(
                layout,
                new Arena(HashTreeAlgorithm.LABEL, context.budgetBytes()),
                context.get(HashTreeAlgorithm.THRESHOLD),
                expected);
    }
}
