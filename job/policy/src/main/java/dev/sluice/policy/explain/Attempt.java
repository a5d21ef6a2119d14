package dev.sluice.policy.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Way to a rule.
 *
 * @param needs what the packet misses
 * @param packet the packet that has it; null: no header states it
 */
record Attempt(List<Need> needs, @Nullable JudgedPacket packet) {}
