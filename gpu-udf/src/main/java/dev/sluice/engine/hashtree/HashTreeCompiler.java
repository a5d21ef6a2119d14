package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.RuleStructure;
import dev.sluice.schemas.header.HeaderLayout;

/** Inserts the rules one by one. */
public final class HashTreeCompiler {
    private HashTreeCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        HashTreeStructure space = space(rules.layout(), options, rules.size());
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(
                space.arena().toArray(), options.algorithm().code(), rules.layout(), rules.size());
    }

    /** An empty tree for rules that come and go. */
    public static RuleStructure live(HeaderLayout layout, CompileOptions options, int expected) {
        return space(layout, options, expected);
    }

    private static HashTreeStructure space(
            HeaderLayout layout, CompileOptions options, int expected) {
        return new HashTreeStructure(
                layout,
                new Arena(options.algorithm().label(), options.budgetBytes()),
                options.hashTreeThreshold(),
                expected);
    }
}
