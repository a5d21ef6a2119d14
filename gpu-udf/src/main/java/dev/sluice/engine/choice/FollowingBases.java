package dev.sluice.engine.choice;

import dev.sluice.engine.rules.RuleSet;

/**
 * Compiles the bases that follow a first one while rules change, for each back end. Thread-safe.
 */
@FunctionalInterface
public interface FollowingBases {
    /**
     * Compiles a base.
     *
     * @param onDevice whether a device serves the rules so far: else the CPU's image is all
     * @throws dev.sluice.engine.image.MemoryBudgetException if an image would pass the budget
     * @throws dev.sluice.engine.lookup.UnsupportedRulesException if no algorithm can express the
     *     rules
     */
    Compiled compile(RuleSet rules, boolean onDevice);
}
