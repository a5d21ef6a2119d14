package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Boxes of hidden packets, which stand behind those of a list.
 *
 * @param <R> regions of boxes
 */
final class HiddenBoxes<R> {
    private final int first;
    private final Function<Match, @Nullable R> regionOf;
    private final IdentityHashMap<MatchEntry.Hidden, Integer> known = new IdentityHashMap<>();
    final List<R> regions = new ArrayList<>();
    final List<MatchEntry.Hidden> of = new ArrayList<>();
    final Map<Integer, Integer> outer = new HashMap<>();

    HiddenBoxes(int first, Function<Match, @Nullable R> regionOf) {
        this.first = first;
        this.regionOf = regionOf;
    }

    /** The first box of hidden packets; -1: none. */
    int head(MatchEntry.@Nullable Hidden hidden) {
        List<MatchEntry.Hidden> fresh = new ArrayList<>();
        MatchEntry.Hidden at = hidden;
        while (at != null && !known.containsKey(at)) {
            fresh.add(at);
            at = at.outer();
        }
        Integer before = at == null ? null : known.get(at);
        int head = before == null ? -1 : before;
        for (int i = fresh.size() - 1; i >= 0; i--) {
            R region = regionOf.apply(fresh.get(i).match());
            if (region != null) {
                int box = first + regions.size();
                regions.add(region);
                of.add(fresh.get(i));
                outer.put(box, head);
                head = box;
            }
            known.put(fresh.get(i), head);
        }
        return head;
    }
}
