package dev.sluice.policy;

import dev.sluice.policy.model.Assumptions;
import org.jspecify.annotations.Nullable;

/**
 * A user's words about a policy beside its file.
 *
 * @param hook name of one of the file's policies; null: as {@code FILE#HOOK} says
 * @param skipUnsupported whether rules that are not understood are skipped
 */
public record PolicyOptions(@Nullable String hook, Assumptions assumed, boolean skipUnsupported) {
    /** Nothing is said. */
    public static final PolicyOptions NONE = new PolicyOptions(null, Assumptions.NONE, false);

    /** The same for a rules topic, whose packets come as messages. */
    public PolicyOptions ofMessages() {
        return new PolicyOptions(hook, assumed.ofMessages(), skipUnsupported);
    }
}
