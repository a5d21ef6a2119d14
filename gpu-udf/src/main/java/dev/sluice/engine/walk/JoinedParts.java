package dev.sluice.engine.walk;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Part.View;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a walk. Each begins at a segment that packets enter, and has the boxes of those that
 * stand behind it in its chain, too, so that a packet that few of them hold is looked up once.
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

    /** Packets whose readings part at a segment; null: none do. */
    private final @Nullable Parting[] partings;

    /** Segments that packets enter, in doubt (1) and not (0). */
    private final List<Set<Integer>> entered =
            List.of(new LinkedHashSet<>(), new LinkedHashSet<>());

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
        partings = new Parting[segments.size()];
        Arrays.stream(partOf).forEach(all -> Arrays.fill(all, NONE));
    }

    private static int reading(boolean upper, boolean inDoubt) {
        return 2 * (upper ? 1 : 0) + (inDoubt ? 1 : 0);
    }

    /** Notes the boxes that a reading takes of a segment. */
    void take(int segment, boolean upper, boolean inDoubt, List<Rule> some) {
        taken.get(reading(upper, inDoubt)).put(segment, some);
    }

    /** Number of boxes of the segments that readings come to so far. */
    int boxes() {
        Set<Integer> met = new HashSet<>();
        taken.forEach(some -> met.addAll(some.keySet()));
        return met.stream().mapToInt(segment -> segments.get(segment).boxes.size()).sum();
    }

    /** The part that begins at a segment; -1: it has no box. */
    int part(int segment, boolean upper, boolean inDoubt) {
        return partOf[reading(upper, inDoubt)][segment];
    }

    /** The segment behind that part. */
    int behind(int segment, boolean upper, boolean inDoubt) {
        return behind[reading(upper, inDoubt)][segment];
    }

    /** The packets whose readings part at a segment, not being in doubt; null: none do. */
    @Nullable Parting parting(int segment) {
        return partings[segment];
    }

    /** The packets that the readings of a segment may part for, and of those looked up with it. */
    private @Nullable Parting findParting(int first) {
        if (part(first, false, false) == part(first, true, false)) {
            return null;
        }
        int end = behind(first, false, false); // packets of both readings take the lower one's way
        List<Rule> all = new ArrayList<>();
        for (boolean upper : new boolean[] {false, true}) {
            Map<Integer, List<Rule>> boxesOf = taken.get(reading(upper, false));
            List<Rule> some = new ArrayList<>();
            for (int at = first; at != end && !holdsAll(some); at = next[at]) {
                addUpToAll(some, boxesOf.getOrDefault(at, List.of()));
            }
            all.addAll(some);
        }
        return new Parting(all);
    }

    /** Notes a segment that packets enter. */
    void enter(int segment, boolean inDoubt) {
        if (segment != NONE) {
            entered.get(inDoubt ? 1 : 0).add(segment);
        }
    }

    /** Notes the segments that packets of a box enter: another chain's, and the one behind. */
    private void enter(Step box, Map<Integer, Integer> indexes, int behind, boolean inDoubt) {
        int to = indexes.getOrDefault(box.to(), NONE);
        switch (box.kind()) {
            case CALL -> {
                enter(to, inDoubt || box.unknown() != 0);
                enter(behind, inDoubt);
            }
            case GO -> enter(to, inDoubt);
            case DOUBT, CALL_IN_DOUBT -> {
                enter(to, true);
                enter(behind, true);
            }
            default -> {}
        }
    }

    private void enter(boolean inDoubt) {
        Map<Integer, Integer> indexes = new HashMap<>();
        segments.forEach(segment -> indexes.put(segment.number, segment.index));
        for (boolean upper : new boolean[] {false, true}) {
            taken.get(reading(upper, inDoubt))
                    .forEach(
                            (at, some) -> {
                                for (Rule rule : some) {
                                    Step box = Objects.requireNonNull(rule.step());
                                    enter(box, indexes, next[at], inDoubt);
                                }
                            });
        }
    }

    /** Makes the parts. */
    void join() {
        enter(false);
        enter(true);
        for (boolean inDoubt : new boolean[] {false, true}) {
            Set<Integer> known = entered.get(inDoubt ? 1 : 0);
            Deque<Integer> left = new ArrayDeque<>(known);
            while (!left.isEmpty()) {
                int at = left.remove();
                for (boolean upper : new boolean[] {false, true}) {
                    if (taken.get(reading(upper, inDoubt)).containsKey(at)) {
                        join(at, upper, inDoubt);
                        int next = behind(at, upper, inDoubt);
                        if (next != NONE && known.add(next)) {
                            left.add(next);
                        }
                    }
                }
            }
        }
        for (int at = 0; at < partings.length; at++) {
            partings[at] = findParting(at);
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
