package dev.sluice.policy;

import dev.sluice.policy.model.Assumptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A user's words about a policy beside its file.
 *
 * @param hook name of one of the file's policies; null: as {@code FILE#HOOK} says
 * @param skipUnsupported whether rules that are not understood are skipped
 * @param captured whether packets come from captures, which may tell interfaces
 * @param timed whether packets of captures are judged at their own times
 * @param translates whether the file's static translations of destinations are applied
 */
public record PolicyOptions(
        @Nullable String hook,
        Assumptions assumed,
        boolean skipUnsupported,
        boolean captured,
        boolean timed,
        boolean translates) {
    /** Nothing is said. */
    public static final PolicyOptions NONE = new PolicyOptions(null, Assumptions.NONE, false);

    /** Words about packets of which nothing but their headers is told. */
    public PolicyOptions(@Nullable String hook, Assumptions assumed, boolean skipUnsupported) {
        this(hook, assumed, skipUnsupported, false, false, false);
    }

    /**
     * The same of a file whose translations are applied, or not.
     *
     * @param nat whether they are
     */
    public PolicyOptions translating(boolean nat) {
        return new PolicyOptions(hook, assumed, skipUnsupported, captured, timed, nat);
    }

    /** The same for a rules topic, whose packets come as messages. */
    public PolicyOptions ofMessages() {
        return new PolicyOptions(
                hook, assumed.ofMessages(), skipUnsupported, false, false, translates);
    }

    /**
     * The same for packets of captures.
     *
     * @param atTheirTimes whether they are judged at their own times
     */
    public PolicyOptions ofCaptures(boolean atTheirTimes) {
        return new PolicyOptions(hook, assumed, skipUnsupported, true, atTheirTimes, translates);
    }

    /** The names of the options that say something. */
    List<String> names() {
        Map<String, Boolean> said = new LinkedHashMap<>();
        said.put("--hook", hook != null);
        said.put("--host", assumed.host() != null);
        said.put("--assume", assumed.state() != null);
        said.put("--in-interface", assumed.inInterface() != null);
        said.put("--out-interface", assumed.outInterface() != null);
        said.put("--nat", translates);
        said.put("--policy-time", timed || assumed.time() != null);
        said.put("--skip-unsupported", skipUnsupported);
        said.values().removeIf(is -> !is);
        return List.copyOf(said.keySet());
    }
}
