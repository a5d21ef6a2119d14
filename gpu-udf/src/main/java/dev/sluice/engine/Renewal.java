package dev.sluice.engine;

import dev.sluice.engine.memory.LongIntMap;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.versions.VersionedRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What changed in rules while others are made of them: the ids of rules, each once however often it
 * changed, and all shifts of lines. Guarded by the engine's lock.
 */
final class Renewal {
    private final VersionedRules from;
    private final LongIntMap noted = new LongIntMap();
    private long[] ids = new long[64];
    private int count;
    private final List<List<LineShift>> shifts = new ArrayList<>();

    /** From now on changes of these rules are noted. */
    Renewal(VersionedRules from) {
        this.from = from;
    }

    /** The rules that change. */
    VersionedRules from() {
        return from;
    }

    /** Notes a delta that the rules took. */
    void note(RuleDelta delta) {
        for (long id : delta.removes()) {
            note(id);
        }
        for (Rule rule : delta.inserts()) {
            note(rule.id());
        }
        if (!delta.shifts().isEmpty()) {
            shifts.add(delta.shifts());
        }
    }

    private void note(long id) {
        if (noted.get(id) == 0) {
            noted.put(id, 1);
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, 2 * count);
            }
            ids[count++] = id;
        }
    }

    /** Changes that are noted. */
    int size() {
        return count + shifts.size();
    }

    /** What is noted, as deltas to bring the copy up to date; nothing is noted then. */
    List<RuleDelta> take(VersionedRules to) {
        List<RuleDelta> deltas = new ArrayList<>();
        for (List<LineShift> shift : shifts) {
            deltas.add(new RuleDelta(List.of(), List.of(), shift));
        }
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            Rule now = from.rule(ids[k]);
            Rule there = to.rule(ids[k]);
            if (now == null && there != null) {
                removes.add(ids[k]);
            } else if (now != null && !(shifts.isEmpty() && now.equals(there))) {
                inserts.add(now);
            }
        }
        if (!removes.isEmpty() || !inserts.isEmpty()) {
            deltas.add(new RuleDelta(removes, inserts));
        }
        noted.clear();
        count = 0;
        shifts.clear();
        return deltas;
    }
}
