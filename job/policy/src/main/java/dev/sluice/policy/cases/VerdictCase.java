package dev.sluice.policy.cases;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.yaml.YamlPosition;
import org.jspecify.annotations.Nullable;

/**
 * Packet and the verdict that a user expects.
 *
 * @param header words of the packet's header
 * @param assumed facts about the packet that no header tells
 * @param expected outcome or action
 * @param line line of the rule that is to decide; null: any
 */
public record VerdictCase(
        YamlPosition at,
        String name,
        int[] header,
        Assumptions assumed,
        YamlPosition expectedAt,
        String expected,
        @Nullable Integer line) {}
