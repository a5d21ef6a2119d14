package dev.sluice.engine.bases;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.versions.VersionedRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The deltas that rules take while others are made of them. Guarded by the engine's lock. */
final class Renewal {
    private final VersionedRules from;
    private List<RuleDelta> deltas = new ArrayList<>();
    private int changes;

    /** From now on deltas of these rules are noted. */
    Renewal(VersionedRules from) {
        this.from = from;
    }

    /** The rules that change. */
    VersionedRules from() {
        return from;
    }

    /** Notes a delta that the rules took. */
    void note(RuleDelta delta) {
        deltas.add(delta);
        changes += changes(delta);
    }

    /** How much is noted. */
    int size() {
        return changes;
    }

    /** Takes the deltas noted so far, and forgets them. */
    List<RuleDelta> take() {
        List<RuleDelta> taken = deltas;
        deltas = new ArrayList<>();
        changes = 0;
        return taken;
    }

    private static int changes(RuleDelta delta) {
        return 1 + delta.removes().size() + delta.inserts().size();
    }

    /**
     * A delta of the same effect as some deltas, in which a rule that changed several times changes
     * once; the deltas themselves where lines are shifted in between. Needs no lock.
     *
     * @param to the rules that they will be applied to
     */
    static List<RuleDelta> united(List<RuleDelta> deltas, VersionedRules to) {
        Map<Long, @Nullable Rule> last = new LinkedHashMap<>();
        for (RuleDelta delta : deltas) {
            if (!delta.shifts().isEmpty()) {
                return deltas;
            }
            delta.removes().forEach(id -> last.put(id, null));
            delta.inserts().forEach(rule -> last.put(rule.id(), rule));
        }
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        last.forEach(
                (id, rule) -> {
                    if (rule != null) {
                        inserts.add(rule);
                    } else if (to.rule(id) != null) {
                        removes.add(id);
                    }
                });
        return List.of(new RuleDelta(removes, inserts));
    }
}
