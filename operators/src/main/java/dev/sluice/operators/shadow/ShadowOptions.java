package dev.sluice.operators.shadow;

import dev.sluice.operators.rules.topic.RuleSource;
import java.io.Serializable;

/**
 * Options of a shadow in the classify operator.
 *
 * @param rules reads its rules topic beside the job, and follows it
 * @param words of what is compared
 */
public record ShadowOptions(RuleSource rules, ShadowWords words) implements Serializable {}
