package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.Map;

/**
 * Rules that a report covers.
 *
 * @param history id of their history; empty: unknown
 * @param inForce the rules of the newest version
 * @param removed rules of earlier versions by id, each in its last form
 */
public record KnownRules(String history, RuleSet inForce, Map<Long, Rule> removed) {}
