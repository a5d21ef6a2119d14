package dev.sluice.engine.rules;

/**
 * One rule. Immutable.
 *
 * @param id stable 64-bit id, kept across versions; says nothing of priority, position or line
 * @param priority higher wins; of equal priorities, the rule that was added first
 * @param match what it asks of a header
 * @param action action, in the words of the rule's file
 * @param line 1-based physical line in its file, comments counted; 0: none
 */
public record Rule(long id, int priority, Match match, String action, int line) {}
