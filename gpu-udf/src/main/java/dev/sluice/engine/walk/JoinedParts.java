package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.walk.Part.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Parts of a walk. Each begins at a segment, and has the boxes of those that stand behind it in its
 * chain, too, so that a packet that few of them hold is looked up once.
 */
final class JoinedParts {
    /** Most segments of a part. */
    static final int MOST_SEGMENTS = 32;

    /** Most boxes of a part of several segments. */
    private static final int MOST_BOXES = 256;

    private static final int NONE = -1;

    final List<Part> parts = new ArrayList<>();
    final List<List<Rule>> boxes = new ArrayList<>();
    private final List<WalkSegment> segments;
    private final int[] next;
    private final int[] rank;
    private final Map<Part, Integer> numbers = new HashMap<>();

    /** Part of each segment, by reading and doubt. */
    private final int[][] partOf;

    /** The segment behind that part. */
    private final int[][] behind;

    /** Boxes that a reading takes of each segment that it comes to. */
    private final List<Map<Integer, List<Rule>>> taken =
            List.of(new HashMap<>(), new HashMap<>(), new HashMap<>(), new HashMap<>());

    /**
     * No parts so far.
     *
     * @param next the segment behind each one
     * @param rank number of segments behind each one
     */
    JoinedParts(List<WalkSegment> segments, int[] next, int[] rank) {
        this.segments = segments;
        this.next = next;
        this.rank = rank;
        partOf = new int[4][segments.size()];
        behind = new int[4][segments.size()];
        Arrays.stream(partOf).forEach(all -> Arrays.fill(all, NONE));
    }

    private static int reading(boolean upper, boolean inDoubt) {
        return 2 * (upper ? 1 : 0) + (inDoubt ? 1 : 0);
    }

    /** Notes the boxes that a reading takes of a segment. */
    void take(int segment, boolean upper, boolean inDoubt, List<Rule> some) {
        taken.get(reading(upper, inDoubt)).put(segment, some);
    }

    /** The part that begins at a segment; -1: it has no box. */
    int part(int segment, boolean upper, boolean inDoubt) {
        return partOf[reading(upper, inDoubt)][segment];
    }

    /** The segment behind that part. */
    int behind(int segment, boolean upper, boolean inDoubt) {
        return behind[reading(upper, inDoubt)][segment];
    }

    /** Makes the parts. */
    void join() {
        for (boolean upper : new boolean[] {false, true}) {
            for (boolean inDoubt : new boolean[] {false, true}) {
                int reading = reading(upper, inDoubt);
                taken.get(reading).keySet().forEach(at -> join(at, upper, inDoubt));
            }
        }
    }

    private static void addUpToAll(List<Rule> joined, List<Rule> boxes) {
        for (Rule box : boxes) {
            joined.add(box);
            if (box.match().usedWords() == 0) {
                return; // no packet comes to the boxes behind
            }
        }
    }

    /** Returns whether the last of some boxes holds all packets. */
    static boolean holdsAll(List<Rule> boxes) {
        return !boxes.isEmpty() && boxes.get(boxes.size() - 1).match().usedWords() == 0;
    }

    private void join(int first, boolean upper, boolean inDoubt) {
        int reading = reading(upper, inDoubt);
        WalkSegment segment = segments.get(first);
        List<Rule> joined = new ArrayList<>();
        int end = NONE;
        int at = first;
        do {
            addUpToAll(joined, Objects.requireNonNull(taken.get(reading).get(at)));
            end = Math.max(end, segments.get(at).last);
            at = next[at];
        } while (at != NONE
                && !holdsAll(joined)
                && rank[at] / MOST_SEGMENTS == rank[first] / MOST_SEGMENTS
                && joined.size() + Objects.requireNonNull(taken.get(reading).get(at)).size()
                        <= MOST_BOXES
                && segments.get(at).asks == segment.asks
                && segments.get(at).first > end); // so that their boxes stand in total order
        behind[reading][first] = at;
        if (joined.isEmpty()) {
            return;
        }
        Part part = new Part(segment.number, View.of(upper, inDoubt, segment.asks));
        partOf[reading][first] =
                numbers.computeIfAbsent(
                        part,
                        fresh -> {
                            parts.add(part);
                            boxes.add(joined);
                            return parts.size() - 1;
                        });
    }
}
