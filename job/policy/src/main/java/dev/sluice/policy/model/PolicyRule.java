package dev.sluice.policy.model;

/**
 * Rule of a policy as its user wrote it.
 *
 * @param action what the rule does, in the words of its file
 */
public record PolicyRule(Origin origin, Condition condition, Effect effect, String action) {}
