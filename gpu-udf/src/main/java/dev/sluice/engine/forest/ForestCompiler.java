package dev.sluice.engine.forest;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds forests: whole, or each from the one before. */
public final class ForestCompiler {
    /** After one in so many rules has changed, all is built anew. */
    private static final int WHOLE_SHARE = 12;

    private static final Logger LOG = LoggerFactory.getLogger(ForestCompiler.class);

    private ForestCompiler() {}

    /**
     * Compiles a rule set within a budget of bytes, on all processors. The same rules give the same
     * image on any number of them.
     */
    static Image compile(RuleSet rules, CompileContext context) {
        ForestBuilder builder = builder(rules, context.budgetBytes());
        Forest forest = builder.build(Runtime.getRuntime().availableProcessors());
        context.meter(ForestBuilder.LABEL).bounded(builder.planner().looked());
        return forest.image();
    }

    /**
     * A compiler for successive versions of a rule set: each forest is built from the one before,
     * on the thread that asks for it.
     */
    public static BaseCompiler growing(long budgetBytes) {
        return new Growing(budgetBytes);
    }

    private static ForestBuilder builder(RuleSet rules, long budgetBytes) {
        return new ForestBuilder(rules, ForestEntries.of(rules), budgetBytes);
    }

    /**
     * Builds the forest of a rule set from the one before: what has changed anew, the rest is
     * copied. When the changes since the last forest built without a predecessor are too large a
     * share of the rules, all is built anew, because windows were chosen for the rules of that
     * time.
     */
    static Forest after(@Nullable Forest before, RuleSet rules, long budgetBytes) {
        if (before != null && before.rules().layout().equals(rules.layout())) {
            ForestEntries entries = ForestEntries.of(rules);
            ForestChanges changes = ForestChanges.of(before, rules, entries);
            if (changes.sinceWhole() * WHOLE_SHARE <= rules.size()) {
                try {
                    return Regrowth.rebuild(
                            new ForestBuilder(rules, entries, budgetBytes), changes);
                } catch (MemoryBudgetException e) {
                    LOG.debug("new parts of a forest do not fit; it is built as a whole", e);
                }
            }
        }
        return builder(rules, budgetBytes).build();
    }

    /** Keeps the last forest. */
    private static final class Growing implements BaseCompiler {
        private final long budgetBytes;
        private @Nullable Forest last;

        Growing(long budgetBytes) {
            this.budgetBytes = budgetBytes;
        }

        @Override
        public synchronized Classifier compile(RuleSet rules) {
            Forest forest = after(last, rules, budgetBytes);
            last = forest;
            return new ForestClassifier(forest.image());
        }
    }
}
