package dev.sluice.engine.lookup;

import dev.sluice.engine.rules.RuleSet;

/**
 * Compiles the bases of rules that change, one after the other, and may keep what it needs to make
 * the next one from the last. Thread-safe.
 */
@FunctionalInterface
public interface BaseCompiler {
    /**
     * Compiles a base.
     *
     * @throws dev.sluice.engine.image.MemoryBudgetException if its image would pass the budget
     * @throws dev.sluice.engine.lookup.UnsupportedRulesException if the algorithm cannot express
     *     the rules
     */
    Classifier compile(RuleSet rules);
}
