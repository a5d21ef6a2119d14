package dev.sluice.policy.kubernetes;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.AddressSet;

/** Direction of traffic at a pod, which a policy's rules are for. */
enum Direction {
    EGRESS("egress", "to", true),
    INGRESS("ingress", "from", false);

    /** Name of the field that holds rules. */
    final String field;

    /** Name of the field of a rule that holds peers. */
    final String peers;

    private final boolean ownIsSource;

    Direction(String field, String peers, boolean ownIsSource) {
        this.field = field;
        this.peers = peers;
        this.ownIsSource = ownIsSource;
    }

    /** The condition that the pod of the policy has one of these addresses. */
    Condition own(AddressSet addresses) {
        return addresses.condition(ownIsSource);
    }

    /** The condition that the other end has one of these addresses. */
    Condition peer(AddressSet addresses) {
        return addresses.condition(!ownIsSource);
    }
}
