package dev.sluice.policy.junos;

import dev.sluice.policy.NearestWord;
import java.util.Set;
import java.util.stream.Stream;

/** Actions of terms (Juniper, "Firewall Filter Terminating Actions" and "... Nonterminating"). */
final class Actions {
    /** Bearing of an action on a packet. */
    enum Kind {
        PERMIT,
        DENY,
        NEXT_TERM,
        /** None: without another action the term accepts. */
        NONE
    }

    private static final Set<String> PERMITTING =
            Set.of(
                    "accept",
                    "routing-instance",
                    "logical-system",
                    "next-ip",
                    "next-ip6",
                    "next-interface",
                    "topology",
                    "decapsulate",
                    "encapsulate");

    private static final Set<String> DENYING = Set.of("discard", "reject");

    private static final Set<String> IDLE =
            Set.of(
                    "count",
                    "log",
                    "syslog",
                    "sample",
                    "policer",
                    "three-color-policer",
                    "hierarchical-policer",
                    "prefix-action",
                    "loss-priority",
                    "forwarding-class",
                    "dscp",
                    "traffic-class",
                    "traffic-class-count",
                    "port-mirror",
                    "port-mirror-instance",
                    "service-accounting",
                    "service-accounting-deferred",
                    "service-filter-hit",
                    "load-balance",
                    "policy-map",
                    "apply-groups");

    private Actions() {}

    /** Bearing of an action. */
    static Kind kind(Statement action) throws JunosException {
        if (action.word.equals("next") && action.has("term")) {
            return Kind.NEXT_TERM;
        }
        if (PERMITTING.contains(action.word)) {
            return Kind.PERMIT;
        }
        if (DENYING.contains(action.word)) {
            return Kind.DENY;
        }
        if (IDLE.contains(action.word)) {
            return Kind.NONE;
        }
        String hint =
                NearestWord.of(
                                action.word,
                                Stream.of(PERMITTING, DENYING, IDLE).flatMap(Set::stream))
                        .map(word -> "; did you mean " + word + "?")
                        .orElse("; leave the term open by --skip-unsupported");
        throw action.refused("is an action that cannot be read" + hint);
    }
}
