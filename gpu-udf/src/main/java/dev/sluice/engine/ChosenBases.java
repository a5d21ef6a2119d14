package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bases of a live rule set by the algorithm that {@code auto} chose for the first one. It chooses
 * again when the rules have become half or twice as many, or are what the algorithm cannot serve.
 */
final class ChosenBases implements BaseCompiler {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenBases.class);

    private final EngineOptions options;
    private @Nullable BaseCompiler chosen;
    private long chosenFor;

    ChosenBases(EngineOptions options) {
        this.options = options;
    }

    /** Notes what was chosen for rules that were compiled elsewhere. */
    synchronized void chose(Algorithm algorithm, int rules) {
        chosen = basesOf(algorithm);
        chosenFor = rules;
    }

    private BaseCompiler basesOf(Algorithm algorithm) {
        long budget = AutoChoice.budget(algorithm, options);
        return new Compiler(options.withBudget(budget)).bases(algorithm);
    }

    @Override
    public synchronized Classifier compile(RuleSet rules) {
        BaseCompiler same = chosen;
        if (same != null && 2L * rules.size() >= chosenFor && rules.size() <= 2 * chosenFor) {
            try {
                return same.compile(rules);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                LOG.info("choosing an algorithm for '{}' again: {}", rules.name(), e.getMessage());
            }
        }
        Compiled compiled = new AutoChoice(rules, options).choose();
        chosen = basesOf(compiled.algorithm());
        chosenFor = rules.size();
        return compiled.classifier();
    }

    @Override
    public synchronized long bytes() {
        return chosen == null ? 0 : chosen.bytes();
    }
}
