package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.Walk.Move;
import dev.sluice.engine.walk.WalkWays.Stage;
import dev.sluice.engine.walk.WalkWays.Way;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Look-up of packets in the part that a policy of one stage begins with, which decides about most
 * of them; only the rest have to walk. Immutable.
 */
public final class FirstLook {
    private final Walk walk;

    /** Boxes that tell which packets come to the policy; null: all do, or others tell it. */
    private final @Nullable LeadingBoxes judges;

    /** Tells of each of these boxes whether its packets come; the last: those of none. */
    private final boolean[] comes;

    private final int part;
    private final LeadingBoxes leading;
    private final int[] leadingAnswers;

    /** Tells whether each packet is decided in the part, or by the end of the stage. */
    private final boolean whole;

    private final @Nullable Parting parting;
    private final int end;

    private FirstLook(Walk walk, @Nullable LeadingBoxes judges, boolean[] comes, Stage stage) {
        this.walk = walk;
        this.judges = judges;
        this.comes = comes;
        part = part(walk, stage);
        leading = LeadingBoxes.of(certain(stage));
        leadingAnswers =
                IntStream.range(0, leading.size())
                        .map(k -> answer(walk.move(leading.box(k))))
                        .toArray();
        parting = parting(walk, stage);
        whole = isWhole(walk, stage);
        end = walk.answer(stage.end());
    }

    /** The first look of a policy; null: its packets pass several stages, or are read twice. */
    public static @Nullable FirstLook of(Walk walk) {
        Way way = walk.ways.get(0);
        boolean one =
                walk.ways.size() == 1
                        && way.skips() == null
                        && way.states().length == 1
                        && way.states()[0].length == 1;
        if (!one || part(walk, way.states()[0][0]) == Walk.NONE) {
            return null;
        }
        Stage judging = way.judges();
        LeadingBoxes judges = null;
        boolean[] comes = {};
        if (judging != null) {
            judges = isWhole(walk, judging) ? LeadingBoxes.all(boxes(walk, judging)) : null;
            if (judges == null || parting(walk, judging) != null) {
                return null;
            }
            comes = new boolean[judges.size() + 1];
            for (int b = 0; b < judges.size(); b++) {
                comes[b] = walk.move(judges.box(b)).permits();
            }
            comes[judges.size()] = judging.permits();
        }
        FirstLook look = new FirstLook(walk, judges, comes, way.states()[0][0]);
        return look.whole || look.leading.size() > 0 ? look : null;
    }

    private static int part(Walk walk, Stage stage) {
        boolean empty = stage.first() == Walk.NONE;
        return empty ? Walk.NONE : walk.part(stage.first(), false, false);
    }

    private static @Nullable Parting parting(Walk walk, Stage stage) {
        return stage.first() == Walk.NONE ? null : walk.joined.parting(stage.first());
    }

    private static List<Rule> boxes(Walk walk, Stage stage) {
        int part = part(walk, stage);
        return part == Walk.NONE ? List.of() : walk.boxes(part);
    }

    /** Returns whether the first part of a stage decides about all packets, or the stage's end. */
    private static boolean isWhole(Walk walk, Stage stage) {
        boolean empty = stage.first() == Walk.NONE;
        return (empty || walk.behind(stage.first(), false, false) == Walk.NONE)
                && boxes(walk, stage).stream().allMatch(FirstLook::decides);
    }

    /** First boxes of the part that decide for certain, in whatever reading. */
    private List<Rule> certain(Stage stage) {
        int other = walk.part(stage.first(), true, false);
        List<Rule> upper = other == Walk.NONE ? List.of() : walk.boxes(other);
        List<Rule> certain = new ArrayList<>();
        List<Rule> open = new ArrayList<>();
        int at = 0;
        for (Rule box : walk.boxes(part)) {
            while (at < upper.size()
                    && !upper.get(at).equals(box)
                    && open.size() < LeadingBoxes.MOST) {
                open.add(upper.get(at++));
            }
            boolean first = at < upper.size() && upper.get(at).equals(box);
            if (!first
                    || certain.size() == LeadingBoxes.MOST
                    || answer(walk.move(box)) == Walk.NONE
                    || open.stream().anyMatch(before -> mayMeet(before, box))) {
                break;
            }
            certain.add(box);
            at++;
        }
        return certain;
    }

    private static boolean mayMeet(Rule some, Rule other) {
        for (int word : HeaderWord.words(some.match().usedWords() & other.match().usedWords())) {
            int both = some.match().mask(word) & other.match().mask(word);
            if (((some.match().value(word) ^ other.match().value(word)) & both) != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean decides(Rule box) {
        Step step = box.step();
        return step != null && step.kind() == Step.Kind.DECIDE;
    }

    /** The answer of a box that decides for certain; {@link Walk#NONE}: of another. */
    private int answer(Move move) {
        boolean certain = move.kind() == Step.Kind.DECIDE && move.unknown() == Walk.NONE;
        return certain && move.rule() != Walk.NONE ? walk.answer(move.rule()) : Walk.NONE;
    }

    /** Room for the packets of a batch. */
    public static final class Room {
        private final int[] coming;
        private final int[] boxes;
        private final int[] asked;
        private final int[] left;

        /** Room for so many packets. */
        public Room(int packets) {
            coming = new int[packets];
            boxes = new int[packets];
            asked = new int[packets];
            left = new int[packets];
        }

        /** Numbers of the packets that have to walk. */
        public int[] left() {
            return left;
        }
    }

    /**
     * Answers what it can.
     *
     * @param found boxes of the packets of the batch
     * @param all numbers from 0, as many as the batch has packets
     * @param answers takes the answers, as {@link Walker#answer} does
     * @param room takes the numbers of the packets that have to walk
     * @return how many these are
     */
    public int answer(HeaderBatch headers, FoundBoxes found, int[] all, int[] answers, Room room) {
        int[] asked = all;
        int some = headers.size();
        if (judges != null) {
            judges.find(headers, all, some, 0, answers, room.left);
            int coming = 0;
            for (int packet = 0; packet < some; packet++) {
                room.coming[coming] = packet;
                coming += comes[answers[packet]] ? 1 : 0;
                answers[packet] = VerdictBatch.MISS;
            }
            asked = room.coming;
            some = coming;
        }
        if (leading.size() > 0) {
            int count = some;
            some = leading.find(headers, asked, count, 0, room.boxes, room.asked);
            for (int k = 0; k < count; k++) {
                int box = room.boxes[k];
                answers[asked[k]] = box < leadingAnswers.length ? leadingAnswers[box] : Walk.NONE;
            }
            for (int k = 0; k < some; k++) {
                room.asked[k] = asked[room.asked[k]];
            }
            asked = room.asked;
        }
        if (!whole) {
            System.arraycopy(asked, 0, room.left, 0, some);
            return some;
        }
        int walking = 0;
        if (parting != null) {
            int stay = 0;
            for (int k = 0; k < some; k++) {
                int packet = asked[k];
                if (parting.holds(found, packet)) {
                    room.left[walking++] = packet;
                } else {
                    room.asked[stay++] = packet;
                }
            }
            asked = room.asked;
            some = stay;
        }
        int[] boxes = some == 0 ? asked : found.in(part, asked, some);
        for (int k = 0; k < some; k++) {
            boolean missed = boxes[k] == VerdictBatch.MISS;
            answers[asked[k]] = missed ? end : answer(found.move(part, boxes[k]));
        }
        return walking;
    }
}
