package dev.sluice.policy;

import dev.sluice.engine.rules.Match;

/** A rule as a format reads it. */
public record RuleLine(int priority, Match match, String action) {}
