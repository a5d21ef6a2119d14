package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Target;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Mistake that an importer could make, as another policy than the kernel holds. A reader that gets
 * the other policy has made the mistake, and packets must tell.
 */
record FirewallMutation(String name, UnaryOperator<Rule> change) {

    private static final String UNGATED = " asked of later fragments";

    /** Returns the mistakes of which packets for a version can tell. */
    static List<FirewallMutation> all(Backend backend, int version) {
        List<FirewallMutation> all = new ArrayList<>();
        for (MatchKind kind : MatchKind.values()) {
            if (!kind.isOf(version) || kind == MatchKind.COMMENT) {
                continue;
            }
            if (kind.isNegatable()) {
                all.add(
                        ofMatches(
                                kind + " without its negation",
                                kind,
                                m -> List.of(m.negated(false))));
            }
            all.add(ofMatches(kind + " left out", kind, match -> List.of()));
            if (kind.protocols().length > 0
                    && (backend == Backend.LEGACY || !Backend.TRANSLATED.contains(kind))) {
                all.add(ofMatches(kind + UNGATED, kind, FirewallMutation::ungated));
            }
        }
        all.add(ofTargets("RETURN taken for ACCEPT", TargetKind.RETURN, TargetKind.ACCEPT));
        all.add(ofTargets("RETURN passed over", TargetKind.RETURN, TargetKind.NONE));
        all.add(ofTargets("goto taken for jump", TargetKind.GOTO, TargetKind.JUMP));
        all.add(ofTargets("jump taken for goto", TargetKind.JUMP, TargetKind.GOTO));
        all.add(ofTargets("REJECT taken for ACCEPT", TargetKind.REJECT, TargetKind.ACCEPT));
        all.add(ofTargets("MARK passed over", TargetKind.MARK, TargetKind.NONE));
        all.add(ofTargets("LOG taken for an end", TargetKind.LOG, TargetKind.ACCEPT));
        all.add(
                ofTargets(
                        "a rule without target taken for ACCEPT",
                        TargetKind.NONE,
                        TargetKind.ACCEPT));
        all.add(ofTargets("NOTRACK passed over", TargetKind.NOTRACK, TargetKind.NONE));
        return all;
    }

    /**
     * Returns whether an importer of the changed text would be told of: the text shows the mistake,
     * can be read, and is of a match that the importer understands.
     */
    boolean isText() {
        return !name.endsWith(UNGATED)
                && Stream.of("PROTOCOL", "TCP_OPTION", "PHYSICAL_DEVICE", "MARK passed")
                        .noneMatch(name::startsWith);
    }

    private static List<GeneratedMatch> ungated(GeneratedMatch m) {
        return List.of(
                new GeneratedMatch(
                        m.kind(), m.negated(), m.module(), m.option(), m.inner(), Formula.ALWAYS));
    }

    private static FirewallMutation ofMatches(
            String name, MatchKind kind, Function<GeneratedMatch, List<GeneratedMatch>> change) {
        return new FirewallMutation(
                name,
                rule ->
                        new Rule(
                                rule.matches().stream()
                                        .flatMap(
                                                match ->
                                                        match.kind() == kind
                                                                ? change.apply(match).stream()
                                                                : Stream.of(match))
                                        .toList(),
                                rule.target()));
    }

    private static FirewallMutation ofTargets(String name, TargetKind from, TargetKind to) {
        return new FirewallMutation(
                name,
                rule ->
                        rule.target().kind() == from
                                ? new Rule(rule.matches(), Target.to(to, rule.target().chain()))
                                : rule);
    }

    GeneratedFirewall of(GeneratedFirewall firewall) {
        return firewall.map(change);
    }
}
