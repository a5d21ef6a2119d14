package dev.sluice.policy;

import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HostZone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A user's words about a policy beside its file.
 *
 * @param hook name of one of the file's policies; null: as {@code FILE#HOOK} says
 * @param skipUnsupported whether rules that are not understood are skipped
 * @param captured what packets tell beside their headers, whether the policy asks for it or not;
 *     null: nothing
 * @param timed whether packets of captures are judged at their own times
 * @param translates whether the file's static translations of destinations are applied
 * @param zone time zone of the host that the policy is of; null: unknown
 * @param tracker word of what tells the states of connections; null: nothing does
 */
public record PolicyOptions(
        @Nullable String hook,
        Assumptions assumed,
        boolean skipUnsupported,
        @Nullable AskedFacts captured,
        boolean timed,
        boolean translates,
        @Nullable HostZone zone,
        @Nullable String tracker) {
    /** Nothing is said. */
    public static final PolicyOptions NONE = new PolicyOptions(null, Assumptions.NONE, false);

    /** Words about packets of which nothing but their headers is told. */
    public PolicyOptions(@Nullable String hook, Assumptions assumed, boolean skipUnsupported) {
        this(hook, assumed, skipUnsupported, null, false, false, null, null);
    }

    /**
     * The same of a file whose translations are applied, or not.
     *
     * @param nat whether they are
     */
    public PolicyOptions translating(boolean nat) {
        return new PolicyOptions(
                hook, assumed, skipUnsupported, captured, timed, nat, zone, tracker);
    }

    /** The same of a host in a time zone; null: unknown. */
    public PolicyOptions in(@Nullable HostZone host) {
        return new PolicyOptions(
                hook, assumed, skipUnsupported, captured, timed, translates, host, tracker);
    }

    /**
     * The same for a rules topic, whose packets come as messages.
     *
     * @param told what the messages tell beside headers of captures; null: nothing
     */
    public PolicyOptions ofMessages(@Nullable AskedFacts told) {
        return new PolicyOptions(
                hook,
                assumed.ofMessages(),
                skipUnsupported,
                told,
                false,
                translates,
                zone,
                tracker);
    }

    /**
     * The same of packets whose connections are tracked.
     *
     * @param by the tracker's word, as {@code linux}
     */
    public PolicyOptions tracked(String by) {
        return new PolicyOptions(
                hook, assumed.ofTracked(), skipUnsupported, captured, timed, translates, zone, by);
    }

    /**
     * The same for packets of captures.
     *
     * @param atTheirTimes whether they are judged at their own times
     */
    public PolicyOptions ofCaptures(boolean atTheirTimes) {
        return new PolicyOptions(
                hook,
                assumed,
                skipUnsupported,
                AskedFacts.NONE,
                atTheirTimes,
                translates,
                zone,
                tracker);
    }

    /** The names of the options that say something. */
    List<String> names() {
        List<String> names = new ArrayList<>(said(hook).keySet());
        if (skipUnsupported) {
            names.add("--skip-unsupported");
        }
        return names;
    }

    /**
     * The assumption under which a policy judges, as the options that make it: {@code --hook INPUT
     * --assume new}. Empty: none.
     *
     * @param list name of the file's policy that is chosen; null: none is
     */
    String words(@Nullable String list) {
        return said(list).entrySet().stream()
                .map(option -> (option.getKey() + " " + option.getValue()).trim())
                .collect(Collectors.joining(" "));
    }

    /** Options that tell what packets do not, and their values. */
    private Map<String, String> said(@Nullable String list) {
        Map<String, String> said = new LinkedHashMap<>();
        ConnectionState state = assumed.state();
        put(said, "--hook", list);
        put(said, "--host", assumed.host() == null ? null : "");
        put(said, "--assume", state == null ? null : state.label());
        put(said, "--conntrack", tracker);
        put(said, "--in-interface", assumed.inInterface());
        put(said, "--out-interface", assumed.outInterface());
        put(said, "--nat", translates ? "" : null);
        put(said, "--policy-time", timed ? "packet" : assumed.time());
        put(said, "--policy-zone", zone == null ? null : zone.id());
        return said;
    }

    private static void put(Map<String, String> said, String option, @Nullable Object value) {
        if (value != null) {
            said.put(option, value.toString());
        }
    }
}
