package dev.sluice.operators.timeline;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a history of rules, each by its index from 0. Versions are added behind the last,
 * and never change. Thread-safe.
 */
public interface VersionHistory {
    /** Number of versions. */
    int size();

    /** Rule-set version of an index, as publishers number them. */
    long number(int index);

    /** All rules of a version. Costs as much as applying the changes since the last snapshot. */
    RuleSet rules(int index);

    /** What a version changed of the one before; null if it replaced the rules. */
    @Nullable RuleDelta change(int index);
}
