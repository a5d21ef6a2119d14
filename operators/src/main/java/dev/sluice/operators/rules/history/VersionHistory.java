package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a history of rules, each by its index from 0. Versions are added behind the last,
 * and never change; the oldest may be forgotten. Thread-safe.
 */
public interface VersionHistory {
    /** Number of versions, forgotten ones included. */
    int size();

    /** Rule-set version of an index, as publishers number them. */
    long number(int index);

    /** Id of the history that {@link #number} is a number of; empty where none is known. */
    String history(int index);

    /** All rules of a version. Costs as much as applying the changes since the last snapshot. */
    RuleSet rules(int index);

    /**
     * What a version changes of the one before, where an engine that serves the one before can take
     * it without compiling anything; null for the first version that is kept, and for any other
     * that must be compiled by itself.
     */
    @Nullable RuleDelta change(int index);
}
