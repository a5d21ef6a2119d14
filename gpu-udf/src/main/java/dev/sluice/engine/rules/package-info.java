/**
 * Rules, their matches and the immutable rule set in its total order: priority first (higher wins),
 * then place (the smaller wins); {@link dev.sluice.engine.rules.RuleSet#of} sorts.
 *
 * <p>A {@link dev.sluice.engine.rules.Place} leaves room between any two, so that a rule goes
 * anywhere without touching others. Images hold a rule's position in that order; deltas ({@link
 * dev.sluice.engine.rules.RuleDelta}), verdicts and diffs name its stable id.
 */
@NullMarked
package dev.sluice.engine.rules;

import org.jspecify.annotations.NullMarked;
