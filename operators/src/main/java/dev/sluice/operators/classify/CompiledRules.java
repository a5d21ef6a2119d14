package dev.sluice.operators.classify;

import dev.sluice.engine.Classifier;
import dev.sluice.engine.rules.RuleSet;

/** A rule set in force and its compiled form. Immutable. */
record CompiledRules(RuleSet rules, Classifier classifier) {}
