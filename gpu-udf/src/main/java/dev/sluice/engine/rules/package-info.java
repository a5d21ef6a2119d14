/**
 * Rules, their matches and the immutable rule set in its total order: priority first (higher wins),
 * then age (the rule that was added first wins); {@link dev.sluice.engine.rules.RuleSet#of} sorts.
 * A rule's position in that order is what images hold; its stable id is what deltas, verdicts and
 * diffs name.
 */
@NullMarked
package dev.sluice.engine.rules;

import org.jspecify.annotations.NullMarked;
