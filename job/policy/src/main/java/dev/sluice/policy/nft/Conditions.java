package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import java.util.ArrayList;
import java.util.List;

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
            List<Condition> parts =
                    one instanceof Condition.All all ? all.conditions() : List.of(one);
            for (Condition part : parts) {
                if (!flat.contains(part)) {
                    flat.add(part);
                }
            }
        }
        return flat.size() == 1 ? flat.get(0) : new Condition.All(flat);
    }

    /** At least one of the conditions. */
    static Condition any(List<Condition> conditions) {
        return conditions.contains(Condition.ALWAYS)
                ? Condition.ALWAYS
                : conditions.size() == 1 ? conditions.get(0) : new Condition.Any(conditions);
    }
}
