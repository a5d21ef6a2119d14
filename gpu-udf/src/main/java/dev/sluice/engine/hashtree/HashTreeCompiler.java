package dev.sluice.engine.hashtree;

import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.image.Arena;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.space.RuleSpace;
import dev.sluice.schemas.header.HeaderLayout;

/** Inserts the rules one by one. */
public final class HashTreeCompiler {
    private HashTreeCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileOptions options) {
        HashTreeSpace space = space(rules.layout(), options, rules.size());
        for (int position = 0; position < rules.size(); position++) {
            space.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(
                space.arena().toArray(), options.algorithm().code(), rules.layout(), rules.size());
    }

    /** An empty tree for rules that come and go. */
    public static RuleSpace live(HeaderLayout layout, CompileOptions options, int expected) {
        return space(layout, options, expected);
    }

    private static HashTreeSpace space(HeaderLayout layout, CompileOptions options, int expected) {
        return new HashTreeSpace(
                layout,
                new Arena(options.algorithm().label(), options.budgetBytes()),
                options.hashTreeThreshold(),
                expected);
    }
}
