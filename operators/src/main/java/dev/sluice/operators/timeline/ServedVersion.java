package dev.sluice.operators.timeline;

import dev.sluice.operators.stream.RuleSetLookup;
import org.jspecify.annotations.Nullable;

/**
 * A version that is ready for look-ups.
 *
 * @param index its index in the history; {@link Timeline#NO_RULES} where neither the version asked
 *     for nor one before it can be served, {@link Timeline#HISTORY_DELETED} where it is forgotten
 * @param lookup retained for who asked, to be closed by it; null where none can be served
 */
public record ServedVersion(int index, @Nullable RuleSetLookup lookup) {}
