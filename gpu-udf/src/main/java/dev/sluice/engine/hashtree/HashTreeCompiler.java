package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;

/** Inserts the rules one by one. */
public final class HashTreeCompiler {
    static final String LABEL = "hash-tree";
    static final int CODE = 9;
    static final AlgorithmOption<Integer> THRESHOLD =
            AlgorithmOption.number(
                    "hash-tree-threshold",
                    16,
                    1,
                    "hash-tree: rules of a bucket beyond which it becomes a node");

    private HashTreeCompiler() {}

    /** Compiles a rule set within a budget of bytes. */
    public static Image compile(RuleSet rules, CompileContext context) {
        HashTreeStructure tree =
                new HashTreeStructure(
                        rules.layout(),
                        new Arena(context.meter(LABEL)),
                        context.get(THRESHOLD),
                        rules.size());
        for (int position = 0; position < rules.size(); position++) {
            tree.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(tree.arena().toArray(), CODE, rules.layout(), rules.size());
    }
}
