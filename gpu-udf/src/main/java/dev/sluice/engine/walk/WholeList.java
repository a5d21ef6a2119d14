package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.Step;
import dev.sluice.engine.walk.RegionList.Steps;
import dev.sluice.engine.walk.RegionList.TooLargeException;
import dev.sluice.engine.walk.RegionWalk.Reading;
import dev.sluice.engine.walk.WalkWays.Stage;
import dev.sluice.engine.walk.WalkWays.Way;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * First-match list of a whole policy: its boxes are regions of packets that take the same walk, and
 * the first that holds a packet tells the result. So a packet is looked up once, whatever chains it
 * passes. Policies of too many regions have none. Immutable.
 */
public final class WholeList {
    /** Most boxes of a policy for which a list is tried. */
    private static final int MOST_TRIED = 2 * RegionList.MOST;

    /** As {@link #MOST_TRIED}, where calls are unknown: most boxes there change no result. */
    private static final int MOST_TRIED_OPEN = 8 * RegionList.MOST;

    /** Most pairs of regions that are compared, for each of these boxes. */
    private static final int STEPS_A_BOX = 1_500;

    /** As {@link #STEPS_A_BOX}, for all boxes of a small policy. */
    private static final int STEPS = 2_000_000;

    /** As {@link #STEPS_A_BOX}, of any policy: a few seconds. */
    private static final int MOST_STEPS = 25_000_000;

    /** Most possible worlds that more pairs are compared for. */
    private static final int MOST_WORLDS = 2;

    private static final int NONE = Walk.NONE;

    private final Walk walk;
    private final Steps steps;
    private final RegionWalk regions;
    private final List<Rule> boxes = new ArrayList<>();
    private final Map<String, Integer> results = new HashMap<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final int[][] answers;

    /** Outcome over the ways and states that were tried so far. */
    private record Outcome(
            boolean mayPass,
            boolean mayFail,
            int permitting,
            int denying,
            int asking,
            List<Integer> earlierPermitting,
            List<Integer> earlierDenying,
            List<Integer> earlierAlways) {
        static final Outcome NOTHING =
                new Outcome(false, false, NONE, NONE, NONE, List.of(), List.of(), List.of());

        static Outcome of(Reading lower, Reading upper) {
            if (lower.rule == NONE && upper.rule == NONE) {
                return NOTHING; // the packets come to none of the stages
            }
            int some = lower.unknown == NONE ? upper.unknown : lower.unknown;
            return new Outcome(
                    upper.permits,
                    !lower.permits,
                    lower.permits ? lower.rule : NONE,
                    upper.permits ? NONE : upper.rule,
                    lower.permits == upper.permits ? NONE : some == NONE ? lower.rule : some,
                    lower.permits ? lower.earlier : List.of(),
                    upper.permits ? List.of() : upper.earlier,
                    upper.shared(lower.shared(lower.earlier)));
        }

        /** Outcome over these ways and states, and over others that are tried behind them. */
        Outcome and(Outcome other) {
            boolean may = mayPass || mayFail;
            if (!may || !other.mayPass && !other.mayFail) {
                return may ? this : other;
            }
            boolean passes = mayPass || other.mayPass;
            boolean fails = mayFail || other.mayFail;
            int asks = asking == NONE ? other.asking : asking;
            boolean permits = permitting == NONE;
            boolean denies = denying == NONE;
            boolean depends = passes && fails;
            boolean open = depends && asks != NONE; // no rule that decides is told
            return new Outcome(
                    passes,
                    fails,
                    open ? NONE : permits ? other.permitting : permitting,
                    depends ? NONE : denies ? other.denying : denying,
                    asks,
                    depends ? List.of() : permits ? other.earlierPermitting : earlierPermitting,
                    depends ? List.of() : denies ? other.earlierDenying : earlierDenying,
                    shared(earlierAlways, other.earlierAlways));
        }

        boolean depends() {
            return mayPass && mayFail;
        }

        /** The same, depending on another rule; {@link #NONE}: on the same. */
        Outcome on(int rule) {
            return rule == NONE
                    ? this
                    : new Outcome(
                            true, true, NONE, NONE, rule, List.of(), List.of(), earlierAlways);
        }

        private static List<Integer> shared(List<Integer> some, List<Integer> others) {
            int alike = 0;
            while (alike < Math.min(some.size(), others.size())
                    && some.get(alike).equals(others.get(alike))) {
                alike++;
            }
            return some.subList(0, alike);
        }
    }

    /**
     * Outcome of packets that possible worlds may settle.
     *
     * @param read outcome by the readings, or whatever worlds are
     * @param so outcome over the worlds that were tried so far
     * @param open whether these agree
     */
    private record Settling(Outcome read, Outcome so, boolean open) {
        static Settling of(Outcome read) {
            return new Settling(read, Outcome.NOTHING, read.depends());
        }

        Settling and(Outcome world) {
            Outcome both = so.and(world);
            return both.depends()
                    ? new Settling(read.on(both.asking), Outcome.NOTHING, false)
                    : new Settling(read, both, true);
        }

        Outcome outcome() {
            return so.mayPass || so.mayFail ? so : read;
        }
    }

    /** Outcome of packets without connection tracking. */
    private record Skipped(boolean tracked, Outcome so) {}

    private WholeList(Walk walk) {
        this.walk = walk;
        int worlds = Math.min(MOST_WORLDS, walk.worlds.size());
        int most = (int) Math.min(MOST_STEPS, (long) STEPS_A_BOX * walk.size);
        steps = new Steps(Math.max(STEPS, most) + worlds * STEPS);
        regions = new RegionWalk(walk, steps);
        RegionList<Outcome> all = RegionList.of(Outcome.NOTHING, steps);
        for (Way way : walk.ways) {
            all = all.with(way(way), Outcome::and);
        }
        if (!walk.worlds.isEmpty()) {
            all = inWorlds(all.with(Settling::of)).with(Settling::outcome);
        }
        RegionList<String> list = all.with(this::result).withoutCovered();
        RuleIds ids = new RuleIds();
        for (int i = 0; i < list.size(); i++) {
            Match region = list.region(i);
            String words = list.value(i);
            boxes.add(new Rule(ids.next(region, words), 0, region, words, 0));
        }
        answers = new int[1 + walk.earlierStages()][outcomes.size()];
        for (int result = 0; result < outcomes.size(); result++) {
            answers[0][result] = answer(outcomes.get(result));
            List<Integer> earlier = earlier(outcomes.get(result));
            for (int stage = 1; stage < answers.length; stage++) {
                boolean there = stage <= earlier.size();
                answers[stage][result] =
                        there ? walk.answer(earlier.get(stage - 1)) : VerdictBatch.MISS;
            }
        }
    }

    private RegionList<Settling> inWorlds(RegionList<Settling> all) {
        RegionList<Settling> list = all;
        for (Way world : walk.worlds) {
            if (list.hasAny(Settling::open)) {
                list = list.settled(way(world), Settling::open, Settling::and);
            }
        }
        return list;
    }

    /** The list of a policy; null: it would be too large. */
    public static @Nullable WholeList of(Walk walk) {
        if (walk.size > MOST_TRIED && (walk.size > MOST_TRIED_OPEN || !isOpen(walk))) {
            return null;
        }
        try {
            return new WholeList(walk);
        } catch (TooLargeException e) {
            return null; // its packets are walked
        }
    }

    private static boolean isOpen(Walk walk) {
        return walk.segments.stream()
                .flatMap(segment -> segment.boxes.stream())
                .map(box -> Objects.requireNonNull(box.step()))
                .anyMatch(step -> step.kind() == Step.Kind.CALL && step.unknown() != 0);
    }

    /** The boxes, without places; their ids and actions hang on match and result alone. */
    public List<Rule> boxes() {
        return boxes;
    }

    /** The result of the packets of a box: a column of {@link #answers}. */
    public int result(Rule box) {
        Integer result = results.get(box.action());
        if (result == null) {
            throw new IllegalArgumentException("box " + box.id() + " is of another list");
        }
        return result;
    }

    /**
     * The answers by result: positions in {@link Walk#answers}; {@link VerdictBatch#MISS}: packets
     * do not come to the policy. Row 0 has those that decide, the rows behind those that let
     * packets pass in stages before. Do not change.
     */
    public int[][] answers() {
        return answers;
    }

    private RegionList<Outcome> way(Way way) {
        RegionList<Outcome> stages = tracked(way);
        Stage judges = way.judges();
        return judges == null
                ? stages
                : regions.decide((lower, upper) -> upper.permits, judges)
                        .with(stages, (takes, so) -> takes ? so : Outcome.NOTHING);
    }

    private RegionList<Outcome> tracked(Way way) {
        RegionList<Outcome> states = RegionList.of(Outcome.NOTHING, steps);
        for (Stage[] state : way.states()) {
            states = states.with(regions.decide(Outcome::of, state), Outcome::and);
        }
        Stage skips = way.skips();
        if (skips == null) {
            return states;
        }
        RegionList<Outcome> untracked = regions.decide(Outcome::of, way.untracked());
        return regions.decide((lower, upper) -> List.of(!lower.permits, upper.permits), skips)
                .with(
                        untracked,
                        (skip, so) -> new Skipped(skip.get(0), skip.get(1) ? so : Outcome.NOTHING))
                .with(states, (skip, so) -> skip.tracked ? skip.so.and(so) : skip.so);
    }

    /** The result's words, which the result of an outcome that is new is noted by. */
    private String result(Outcome so) {
        String words = words(so);
        if (results.putIfAbsent(words, outcomes.size()) == null) {
            outcomes.add(so);
        }
        return words;
    }

    /** Words that tell an outcome from others, whatever the version. */
    private String words(Outcome so) {
        StringBuilder words = new StringBuilder(id(answer(so)));
        earlier(so).forEach(rule -> words.append(id(walk.answer(rule))));
        return words.toString();
    }

    private String id(int answer) {
        return answer == NONE ? "-" : Long.toHexString(walk.answers().get(answer).id()) + " ";
    }

    private int answer(Outcome so) {
        if (so.depends()) {
            return walk.depends(so.asking == NONE ? so.permitting : so.asking);
        }
        if (!so.mayPass && !so.mayFail) {
            return VerdictBatch.MISS;
        }
        return walk.answer(so.mayPass ? so.permitting : so.denying);
    }

    private static List<Integer> earlier(Outcome so) {
        if (so.depends()) {
            return so.earlierAlways;
        }
        return so.mayPass ? so.earlierPermitting : so.earlierDenying;
    }
}
