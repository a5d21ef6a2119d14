package dev.sluice.job.importers;

import dev.sluice.engine.rules.Match;

/**
 * A rule as its line says it.
 *
 * @param warning something that the reader should know, or empty
 */
record RuleLine(int priority, Match match, String action, String warning) {}
