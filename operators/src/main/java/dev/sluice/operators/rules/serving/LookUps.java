package dev.sluice.operators.rules.serving;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.walk.Part;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.WalkSets;
import dev.sluice.engine.walk.WholeList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Parts that packets of a policy are looked up in.
 *
 * @param whole the list that the first part is of; null: packets walk
 * @param sets sets of packets that the parts ask for, which are parts, too
 */
record LookUps(List<Part> parts, List<List<Rule>> boxes, @Nullable WholeList whole, WalkSets sets) {
    /** The parts of a walk. */
    static LookUps walking(Walk walk) {
        return new LookUps(
                walk.parts(),
                IntStream.range(0, walk.parts().size()).mapToObj(walk::boxes).toList(),
                null,
                walk.sets());
    }

    /** The list of a whole policy, with these boxes, and the sets that they ask for. */
    static LookUps of(Walk walk, WholeList whole, List<Rule> list) {
        List<Part> parts = new ArrayList<>(List.of(Part.WHOLE));
        List<List<Rule>> boxes = new ArrayList<>(List.of(list));
        return new LookUps(parts, boxes, whole, walk.sets().of(list, parts, boxes));
    }
}
