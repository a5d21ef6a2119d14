package dev.sluice.policy.explain;

import dev.sluice.policy.model.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Field in which a packet misses a rule.
 *
 * @param field the field in words
 * @param has the packet's value, in words
 * @param wants the values that the rule wants, in words
 * @param condition the part of the rule's condition that fails; null: it is on what no header
 *     states, or no packet meets it
 * @param wanted whether the part is to hold; else its opposite
 */
public record Need(
        String field, String has, String wants, @Nullable Condition condition, boolean wanted) {}
