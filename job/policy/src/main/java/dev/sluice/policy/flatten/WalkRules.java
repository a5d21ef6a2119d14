package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.Step;
import dev.sluice.policy.flatten.Segment.Entry;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a policy's walk, as the engine and messages have them. Their ids hang on what a rule
 * says, not on where it stands, so that a small edit of a policy changes few of them.
 */
final class WalkRules {
    private static final int NO_SEGMENT = 0;

    /** Rule that lets packets by a stage to which they do not come: it is no answer. */
    private static final Origin BESIDE = new Origin("", 0, "", "", "", null);

    private final List<Rule> rules = new ArrayList<>();

    /** Boxes of each segment, those that it leads to before it. */
    private final List<List<Rule>> boxes = new ArrayList<>();

    private final RuleIds ids = new RuleIds();
    private final RuleIds keyIds = new RuleIds();
    private final IdentityHashMap<PolicyRule, Long> keys = new IdentityHashMap<>();

    /** Keys of rules that say the same, in one line of a file: they are one to its user. */
    private final Map<PolicyRule, Long> alike = new HashMap<>();

    private final Map<Segment, Integer> numbers = new HashMap<>(); // by identity
    private final Map<List<Line>, Integer> known = new HashMap<>();
    private final Set<Integer> given = new HashSet<>(Set.of(NO_SEGMENT));
    private final Set<PolicyRule> asking = Collections.newSetFromMap(new IdentityHashMap<>());

    private final PacketSets sets;

    /** Numbers of ways through possible worlds, each by the segments that its stages begin with. */
    private final Map<List<Integer>, Integer> worlds = new HashMap<>();

    private final List<Rule> ofWorlds = new ArrayList<>();

    private int ways;

    /** Numbers of segments, of ways, and of stages in possible worlds. */
    record Mark(int segments, int ways, int stages) {}

    /** A box, and its step in a segment without a number. */
    private record Line(Match box, Step step) {}

    WalkRules(PacketSets sets) {
        this.sets = sets;
    }

    /** The rules: each segment stands before those that it leads to, and sets at the end. */
    List<Rule> rules() {
        List<Rule> all = new ArrayList<>(rules);
        all.addAll(ofWorlds);
        for (int i = boxes.size() - 1; i >= 0; i--) {
            all.addAll(boxes.get(i));
        }
        sets.forEach(
                (bit, box) ->
                        all.add(
                                rule(
                                        box,
                                        new Step(Step.Kind.ELEMENT, false, bit, 0, 0, NO_SEGMENT),
                                        "",
                                        "")));
        return all;
    }

    /** The user's rules whose conditions are unknown. */
    Set<PolicyRule> asking() {
        return asking;
    }

    /** Adds an answer that names a user's rule. */
    void addAnswer(PolicyRule of, Step.Kind kind, String action, String text) {
        String words = action + " " + of.origin().chain() + " " + text;
        long id = ids.next(Boxes.ALL, words);
        Step step = new Step(kind, permits(of), 0, key(of), 0, NO_SEGMENT);
        rules.add(new Rule(id, 0, Boxes.ALL, action, of.origin().line(), Place.NONE, text, step));
    }

    /**
     * Stage of a way.
     *
     * @param state number of the connection state that it is tried under
     */
    record Passed(Stage stage, Step.Kind kind, int state, @Nullable Segment first) {}

    /** A stage under assumptions. */
    Passed passed(Stage stage, Assumptions assumed, Step.Kind kind, int state) {
        return new Passed(stage, kind, state, Segments.of(entered(stage), assumed, sets));
    }

    /**
     * Adds a way.
     *
     * @param words assumption that it tells; empty: none
     */
    void addWay(List<Passed> stages, String words) {
        add(stages, words, 0, rules);
    }

    /** Adds a way through a possible world, unless one of the same segments is there. */
    void addWorld(List<Passed> stages) {
        List<Integer> first = stages.stream().map(one -> number(one.first)).toList();
        if (worlds.putIfAbsent(first, ways) == null) {
            add(stages, "", Step.WORLD, ofWorlds);
        }
    }

    private void add(List<Passed> stages, String words, long world, List<Rule> to) {
        for (Passed one : stages) {
            PolicyRule end = one.stage.end();
            boolean judges = one.kind == Step.Kind.JUDGES;
            int of = one.kind == Step.Kind.STAGE ? Step.STATES * ways + one.state : ways;
            int first = number(one.first);
            long asked = judges ? world : 0;
            Step step = new Step(one.kind, permits(end), of, key(end), asked, first);
            to.add(rule(Boxes.ALL, step, judges ? words : "", one.stage.name()));
        }
        ways++;
    }

    /** A mark behind all that was added so far. */
    Mark mark() {
        return new Mark(boxes.size(), ways, ofWorlds.size());
    }

    /** Number of boxes that were added since. */
    int boxesSince(Mark mark) {
        return since(mark).stream().mapToInt(List::size).sum();
    }

    private List<List<Rule>> since(Mark mark) {
        return boxes.subList(mark.segments, boxes.size());
    }

    /** Removes the ways that were added since. */
    void remove(Mark mark) {
        Set<Integer> gone = new HashSet<>();
        for (List<Rule> segment : since(mark)) {
            segment.forEach(box -> gone.add(Objects.requireNonNull(box.step()).segment()));
        }
        known.values().removeIf(gone::contains);
        numbers.values().removeIf(gone::contains);
        since(mark).clear();
        ofWorlds.subList(mark.stages, ofWorlds.size()).clear();
        ways = mark.ways;
        worlds.values().removeIf(way -> way >= mark.ways);
    }

    /** A stage whose first rule lets the packets by that do not come to it. */
    private static Stage entered(Stage stage) {
        if (stage.judges().equals(Condition.ALWAYS)) {
            return stage;
        }
        Effect pass = new Effect.Decide(Outcome.PERMIT);
        List<PolicyRule> base = new ArrayList<>();
        base.add(new PolicyRule(BESIDE, Condition.not(stage.judges()), pass, ""));
        base.addAll(Objects.requireNonNull(stage.chains().get(stage.base())));
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>(stage.chains());
        chains.put(stage.base(), base);
        return stage.with(chains);
    }

    private Rule rule(Match box, Step step, String words, String text) {
        long id = ids.next(box, step + text);
        return new Rule(id, 0, box, words, 0, Place.NONE, text, step);
    }

    private static boolean permits(PolicyRule rule) {
        return rule.effect() instanceof Effect.Decide decide && decide.outcome() == Outcome.PERMIT;
    }

    private long key(@Nullable PolicyRule rule) {
        return rule == null || rule.origin().equals(BESIDE)
                ? 0
                : keys.computeIfAbsent(rule, r -> alike.computeIfAbsent(r, this::newKey));
    }

    private long newKey(PolicyRule rule) {
        return keyIds.next(Boxes.ALL, rule.origin().chain() + " " + rule.origin().text());
    }

    /** The number of a segment, whose boxes are added; segments that say the same share it. */
    private int number(@Nullable Segment segment) {
        if (segment == null) {
            return NO_SEGMENT;
        }
        Integer before = numbers.get(segment);
        if (before != null) {
            return before;
        }
        List<Line> lines = new ArrayList<>();
        for (Entry entry : segment.entries) {
            if (entry.unknown() != null) {
                asking.add(entry.unknown());
            }
            lines.add(new Line(entry.box(), step(entry)));
        }
        int next = number(segment.next);
        if (next != NO_SEGMENT) {
            lines.add(new Line(Boxes.ALL, new Step(Step.Kind.NEXT, false, 0, 0, 0, next)));
        }
        Integer alike = known.get(lines);
        int number = alike == null ? add(segment.name, lines) : alike;
        numbers.put(segment, number);
        return number;
    }

    private int add(String name, List<Line> lines) {
        int number = name.hashCode();
        while (!given.add(number)) {
            number = 5 * number + 1; // comes to every number
        }
        known.put(lines, number);
        List<Rule> own = new ArrayList<>(lines.size());
        Step before = null;
        Step put = null;
        String words = "";
        for (Line line : lines) {
            Step step = line.step;
            if (put == null || !step.equals(before)) { // boxes of a rule stand together
                put =
                        new Step(
                                step.kind(),
                                step.permits(),
                                number,
                                step.rule(),
                                step.unknown(),
                                step.to());
                words = put.toString();
                before = step;
            }
            long id = ids.next(line.box, words);
            own.add(new Rule(id, 0, line.box, "", 0, Place.NONE, "", put));
        }
        boxes.add(own);
        return number;
    }

    private Step step(Entry entry) {
        Step.Kind kind =
                switch (entry.act()) {
                    case DECIDE -> Step.Kind.DECIDE;
                    case RETURN -> Step.Kind.RETURN;
                    case CALL -> Step.Kind.CALL;
                    case GO -> Step.Kind.GO;
                    case DOUBT -> Step.Kind.DOUBT;
                    case CALL_AND_DOUBT -> Step.Kind.CALL_IN_DOUBT;
                };
        boolean decides = kind == Step.Kind.DECIDE;
        return new Step(
                kind,
                decides && permits(entry.rule()),
                0,
                decides ? key(entry.rule()) : 0,
                key(entry.unknown()),
                number(entry.to()));
    }
}
