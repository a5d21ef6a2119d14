package dev.sluice.engine.choice;

import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** Bases on the CPU by an algorithm that is chosen when the first one comes. Thread-safe. */
final class BasesChosenLater implements BaseCompiler {
    private final CompileOptions options;
    private final CompileContext.Others others;

    /** Null before the first base. */
    private @Nullable FollowingBases following;

    BasesChosenLater(CompileOptions options, CompileContext.Others others) {
        this.options = options;
        this.others = others;
    }

    @Override
    public synchronized Classifier compile(RuleSet rules) {
        FollowingBases after = following;
        if (after != null) {
            return after.compile(rules, false).classifier();
        }
        Compiled first = new AutoChoice(rules, options, null, others).choose();
        following = new ChosenBases(options, first, rules.size(), null, others);
        return first.classifier();
    }
}
