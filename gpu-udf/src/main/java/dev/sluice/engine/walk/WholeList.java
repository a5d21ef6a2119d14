package dev.sluice.engine.walk;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.walk.RegionWalk.Reading;
import dev.sluice.engine.walk.RegionWalk.TooLargeException;
import dev.sluice.engine.walk.Walk.Stage;
import dev.sluice.engine.walk.Walk.Way;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * First-match list of a whole policy: its boxes are regions of packets that take the same walk, and
 * the first that holds a packet tells the result. So a packet is looked up once, whatever chains it
 * passes. Policies of too many regions have none. Immutable.
 */
public final class WholeList {
    /** Most boxes. */
    private static final int MOST_BOXES = 8_192;

    /** Most boxes of a policy for which a list is tried. */
    private static final int MOST_TRIED = 2 * MOST_BOXES;

    private static final int NONE = Walk.NONE;
    private static final Match ALL = new Match.Builder().build();

    private final Walk walk;
    private final RegionWalk regions;
    private final List<Rule> boxes = new ArrayList<>();
    private final Map<String, Integer> results = new HashMap<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Set<Match> known = new HashSet<>();
    private final RuleIds ids = new RuleIds();
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

        Outcome and(Reading lower, Reading upper) {
            if (lower.rule == NONE && upper.rule == NONE) {
                return this; // the packets come to none of the stages
            }
            boolean firstPermit = lower.permits && permitting == NONE;
            boolean firstDeny = !upper.permits && denying == NONE;
            int some = lower.unknown == NONE ? upper.unknown : lower.unknown;
            boolean asks = asking == NONE && lower.permits != upper.permits;
            List<Integer> always = mayPass || mayFail ? earlierAlways : lower.earlier;
            return new Outcome(
                    mayPass || upper.permits,
                    mayFail || !lower.permits,
                    firstPermit ? lower.rule : permitting,
                    firstDeny ? upper.rule : denying,
                    asks ? some == NONE ? lower.rule : some : asking,
                    firstPermit ? lower.earlier : earlierPermitting,
                    firstDeny ? upper.earlier : earlierDenying,
                    upper.shared(lower.shared(always)));
        }
    }

    /** Rest of the ways and states that a region's packets try. */
    private interface Rest {
        void go(Match region, Outcome so);
    }

    private WholeList(Walk walk) {
        this.walk = walk;
        regions = new RegionWalk(walk);
        ways(0, ALL, Outcome.NOTHING);
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

    /** The list of a policy; null: it would be too large. */
    public static @Nullable WholeList of(Walk walk) {
        if (walk.segments.stream().mapToInt(segment -> segment.boxes.size()).sum() > MOST_TRIED) {
            return null;
        }
        try {
            return new WholeList(walk);
        } catch (TooLargeException e) {
            return null; // its packets are walked
        }
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

    private void add(Match region, Outcome so) {
        if (!known.add(region)) {
            return; // a box before holds the same packets
        }
        if (boxes.size() == MOST_BOXES) {
            throw new TooLargeException();
        }
        String words = words(so);
        if (results.putIfAbsent(words, outcomes.size()) == null) {
            outcomes.add(so);
        }
        boxes.add(new Rule(ids.next(region, words), 0, region, words, 0));
    }

    private void ways(int number, Match region, Outcome so) {
        if (number == walk.ways.size()) {
            add(region, so);
            return;
        }
        Way way = walk.ways.get(number);
        Rest rest = (of, then) -> ways(number + 1, of, then);
        Stage judges = way.judges();
        if (judges == null) {
            way(way, region, so, rest);
            return;
        }
        regions.decide(
                region,
                (of, lower, upper) -> {
                    if (upper.permits) {
                        way(way, of, so, rest);
                    } else {
                        rest.go(of, so);
                    }
                },
                judges);
    }

    private void way(Way way, Match region, Outcome so, Rest rest) {
        Stage skips = way.skips();
        if (skips == null) {
            states(way, 0, region, so, rest);
            return;
        }
        regions.decide(
                region,
                (of, lower, upper) -> {
                    Rest tracked =
                            lower.permits ? rest : (some, then) -> states(way, 0, some, then, rest);
                    if (upper.permits) {
                        stages(way.untracked(), of, so, tracked);
                    } else {
                        tracked.go(of, so);
                    }
                },
                skips);
    }

    private void states(Way way, int number, Match region, Outcome so, Rest rest) {
        if (number == way.states().length) {
            rest.go(region, so);
            return;
        }
        Rest others = (of, then) -> states(way, number + 1, of, then, rest);
        stages(way.states()[number], region, so, others);
    }

    private void stages(Stage[] stages, Match region, Outcome so, Rest rest) {
        regions.decide(region, (of, lower, upper) -> rest.go(of, so.and(lower, upper)), stages);
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
        if (so.mayPass && so.mayFail) {
            return walk.depends(so.asking == NONE ? so.permitting : so.asking);
        }
        if (!so.mayPass && !so.mayFail) {
            return VerdictBatch.MISS;
        }
        return walk.answer(so.mayPass ? so.permitting : so.denying);
    }

    private static List<Integer> earlier(Outcome so) {
        if (so.mayPass && so.mayFail) {
            return so.earlierAlways;
        }
        return so.mayPass ? so.earlierPermitting : so.earlierDenying;
    }
}
