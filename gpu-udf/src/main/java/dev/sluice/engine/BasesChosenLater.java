package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** Bases on the CPU for the first of which an algorithm is chosen when it comes. Thread-safe. */
final class BasesChosenLater implements BaseCompiler {
    private final EngineOptions options;

    /** Null before the first base. */
    private @Nullable FollowingBases following;

    BasesChosenLater(EngineOptions options) {
        this.options = options;
    }

    @Override
    public synchronized Classifier compile(RuleSet rules) {
        FollowingBases after = following;
        if (after != null) {
            return after.compile(rules, false).classifier();
        }
        Compiled first = new AutoChoice(rules, options, null).choose();
        following = new ChosenBases(options, first, rules.size(), null);
        return first.classifier();
    }
}
