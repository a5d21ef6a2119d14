package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Conditions put together, without those that every packet meets. */
final class Conditions {
    private Conditions() {}

    /** All conditions together, each once. */
    static Condition all(Condition... conditions) {
        return all(List.of(conditions));
    }

    /** All conditions together, each once. */
    static Condition all(List<Condition> conditions) {
        List<Condition> flat = new ArrayList<>();
        for (Condition one : conditions) {
            for (Condition part : Condition.parts(one)) {
                if (!flat.contains(part)) {
                    flat.add(part);
                }
            }
        }
        return flat.size() == 1 ? flat.get(0) : new Condition.All(flat);
    }

    /** At least one of the conditions, of which one at most is on the state: a packet has one. */
    static Condition any(List<Condition> conditions) {
        Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
        List<Condition> some = new ArrayList<>();
        for (Condition one : conditions) {
            if (one instanceof Condition.InState asked) {
                states.addAll(asked.states());
            } else {
                some.add(one);
            }
        }
        if (!states.isEmpty()) {
            some.add(new Condition.InState(states));
        }
        return some.contains(Condition.ALWAYS)
                ? Condition.ALWAYS
                : some.size() == 1 ? some.get(0) : new Condition.Any(some);
    }
}
