package dev.sluice.job.hits;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import java.util.Map;

/**
 * The rules that a report speaks of.
 *
 * @param history id of their history; empty: none is known
 * @param inForce the rules of the newest version
 * @param removed rules of versions before, by id, as they were last
 */
public record KnownRules(String history, RuleSet inForce, Map<Long, Rule> removed) {}
