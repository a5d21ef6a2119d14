/**
 * Rules, their matches and the immutable rule set in its total order: priority first (higher wins),
 * then place (the smaller wins); {@link dev.sluice.engine.rules.RuleSet#of} sorts. A {@link
 * dev.sluice.engine.rules.Place} leaves room between any two, so that a rule goes anywhere without
 * touching others. A rule's position in that order is what images hold; its stable id is what
 * deltas, verdicts and diffs name.
 */
@NullMarked
package dev.sluice.engine.rules;

import org.jspecify.annotations.NullMarked;
