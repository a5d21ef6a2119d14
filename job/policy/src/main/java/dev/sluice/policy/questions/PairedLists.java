package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The lists of two policies in one space, with the boxes that both have in the same order.
 *
 * <p>A header that meets no other box has one outcome in both policies, so that differences are
 * looked for in these other boxes alone: the <b>changed</b> ones.
 */
final class PairedLists {
    /** Outcome of boxes whose packets do not come to their stage. */
    static final int PASSES = -1;

    /** Outcome of boxes that permit. */
    static final int PERMIT = 0;

    /** All boxes: those of the old policy, stage by stage, then those of the new one. */
    final BoxList boxes;

    final OverlapIndex index;

    /** First box of each side and stage, and behind the last one. */
    private final int[][] from = new int[2][];

    private final int[][] to = new int[2][];

    /** Number of each box's outcome, or {@link #PASSES}. */
    final int[] outcome;

    /** Number of each box's line among those of its side; -1: none. */
    final int[] line;

    /** Side of each box: 0 old, 1 new. */
    final int[] side;

    /** Stage of each box. */
    final int[] stage;

    /** Position of a box among the changed ones; {@link Integer#MAX_VALUE}: it is not changed. */
    final int[] changedAt;

    /** The changed boxes: by stage, the old policy's first. */
    final int[] changed;

    /** Marks of boxes of packets that cannot be: their interfaces are unknown. */
    final boolean[] unreal;

    /** Names of the outcomes by their numbers; the first one is permit. */
    final List<String> outcomes = new ArrayList<>(List.of("permit", "deny"));

    /** Boxes that depend on marks, of policies that treat these otherwise; they are changed. */
    final BitSet marked = new BitSet();

    private final Set<Long> commonLines = new HashSet<>();

    PairedLists(ComparedPolicy old, ComparedPolicy fresh) {
        List<MatchEntry> all = new ArrayList<>();
        List<int[]> places = new ArrayList<>(); // side, stage, line and outcome of each entry
        List<ComparedPolicy> sides = List.of(old, fresh);
        for (int s = 0; s < 2; s++) {
            ComparedPolicy of = sides.get(s);
            for (int at = 0; at < of.stages().size(); at++) {
                for (MatchEntry entry : of.stages().get(at)) {
                    int own = entry.owner();
                    int label = own < 0 ? PASSES : number(of.outcomes().get(own));
                    places.add(new int[] {s, at, own, label});
                    all.add(
                            new MatchEntry(
                                    entry.match(),
                                    all.size(),
                                    true,
                                    entry.certain(),
                                    entry.hidden()));
                }
            }
        }
        List<MatchEntry> entries = HeaderSpace.split(all);
        boxes = new BoxList(HeaderSpace.of(entries), entries);
        index = new OverlapIndex(boxes);
        outcome = new int[boxes.size];
        line = new int[boxes.size];
        side = new int[boxes.size];
        stage = new int[boxes.size];
        unreal = new boolean[boxes.size];
        boolean marksDiffer = !Objects.equals(rules(old.marks()), rules(fresh.marks()));
        for (int box = boxes.impossible; box < boxes.size; box++) {
            int[] place = places.get(boxes.owner[box]);
            side[box] = place[0];
            stage[box] = place[1];
            line[box] = place[2];
            outcome[box] = place[3];
            marked.set(box, marksDiffer && dependsOnMarks(sides.get(side[box]), box));
            unreal[box] = place[3] == PASSES && asksInterface(boxes.matches[box]);
        }
        int next = boxes.impossible;
        for (int s = 0; s < 2; s++) {
            int stages = sides.get(s).stages().size();
            from[s] = new int[stages];
            to[s] = new int[stages];
            for (int at = 0; at < stages; at++) {
                from[s][at] = next;
                while (next < boxes.size && side[next] == s && stage[next] == at) {
                    next++;
                }
                to[s][at] = next;
            }
        }
        changedAt = new int[boxes.size];
        Arrays.fill(changedAt, Integer.MAX_VALUE);
        boolean[] paired = pair();
        changed =
                IntStream.range(boxes.impossible, boxes.size)
                        .filter(box -> !paired[box])
                        .boxed()
                        .sorted((x, y) -> Integer.compare(stage[x], stage[y])) // is stable
                        .mapToInt(Integer::intValue)
                        .toArray();
        for (int i = 0; i < changed.length; i++) {
            changedAt[changed[i]] = i;
        }
    }

    private static @Nullable List<List<Object>> rules(@Nullable MarkRules marks) {
        return marks == null ? null : marks.rules();
    }

    private boolean dependsOnMarks(ComparedPolicy of, int box) {
        MarkRules marks = of.marks();
        return marks != null
                && line[box] >= 0
                && (!boxes.certain[box] || boxes.hiddenFrom(box) >= 0)
                && (marks.leads() || marks.asking().contains(of.lines().get(line[box])));
    }

    private static boolean asksInterface(Match match) {
        int present = Field.IN_INTERFACE_PRESENT.maskInWord();
        present |= Field.OUT_INTERFACE_PRESENT.maskInWord();
        return match.mask(HeaderWord.IN_INTERFACE) != 0
                || match.mask(HeaderWord.OUT_INTERFACE) != 0
                || (match.mask(HeaderWord.IP) & present) != 0;
    }

    private int number(String label) {
        int at = outcomes.indexOf(label);
        if (at < 0) {
            outcomes.add(label);
            return outcomes.size() - 1;
        }
        return at;
    }

    int stages(int of) {
        return from[of].length;
    }

    int from(int of, int at) {
        return from[of][at];
    }

    int to(int of, int at) {
        return to[of][at];
    }

    /** Returns whether the lines of two boxes are one rule in both policies. */
    boolean isOneRule(int oldBox, int newBox) {
        return commonLines.contains((long) line[oldBox] << 32 | line[newBox]);
    }

    /** Pairs equal boxes of the two sides that stand in the same order. */
    private boolean[] pair() {
        boolean[] paired = new boolean[boxes.size];
        Map<IntBuffer, Integer> chains = new HashMap<>();
        int[] chain = new int[boxes.all()];
        for (int box = boxes.size; box < boxes.all(); box++) { // outer ones come first
            int outer = boxes.hiddenFrom(box);
            chain[box] =
                    chains.computeIfAbsent(
                            content(box, boxes.covers[box] ? 1 : 0, outer < 0 ? 0 : chain[outer]),
                            fresh -> chains.size() + 1);
        }
        int[] alike = new int[boxes.size]; // next box of the same content; -1: none
        int stages = Math.min(from[0].length, from[1].length);
        for (int back = 1; back <= stages; back++) {
            int oldStage = from[0].length - back;
            int newStage = from[1].length - back;
            Map<IntBuffer, Integer> places = new HashMap<>(); // first box of each content
            for (int box = to[1][newStage] - 1; box >= from[1][newStage]; box--) {
                if (!marked.get(box)) {
                    Integer next = places.put(content(box, chain), box);
                    alike[box] = next == null ? -1 : next;
                }
            }
            List<int[]> equal = new ArrayList<>();
            for (int box = from[0][oldStage]; box < to[0][oldStage]; box++) {
                IntBuffer content = content(box, chain);
                Integer other = places.remove(content);
                if (other != null) {
                    equal.add(new int[] {box, other});
                    if (alike[other] >= 0) {
                        places.put(content, alike[other]);
                    }
                }
            }
            for (int[] one : longestRising(equal)) {
                paired[one[0]] = true;
                paired[one[1]] = true;
                commonLines.add((long) line[one[0]] << 32 | line[one[1]]);
            }
        }
        return paired;
    }

    private IntBuffer content(int box, int[] chain) {
        int hidden = boxes.hiddenFrom(box);
        int behind = hidden < 0 ? 0 : chain[hidden];
        return content(box, behind << 1 | (boxes.certain[box] ? 1 : 0), outcome[box]);
    }

    /** Box as it stands in its list, without its place. */
    private IntBuffer content(int box, int flags, int label) {
        Region region = boxes.region(box);
        int[] bounds = region.bounds();
        IntBuffer content = IntBuffer.allocate(bounds.length + 2 * region.kinds().length + 2);
        content.put(bounds).put(flags).put(label);
        for (long word : region.kinds()) {
            content.put((int) word).put((int) (word >>> 32));
        }
        return content.flip();
    }

    /** The longest run of pairs whose second numbers rise; the first ones do. */
    private static List<int[]> longestRising(List<int[]> pairs) {
        int[] ends = new int[pairs.size()]; // pair that ends the best run of each length
        int[] before = new int[pairs.size()];
        int length = 0;
        for (int i = 0; i < pairs.size(); i++) {
            int low = 0;
            int high = length;
            while (low < high) {
                int middle = low + high >>> 1;
                if (pairs.get(ends[middle])[1] < pairs.get(i)[1]) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            before[i] = low == 0 ? -1 : ends[low - 1];
            ends[low] = i;
            length = Math.max(length, low + 1);
        }
        List<int[]> run = new ArrayList<>();
        for (int at = length == 0 ? -1 : ends[length - 1]; at >= 0; at = before[at]) {
            run.add(pairs.get(at));
        }
        return run;
    }
}
