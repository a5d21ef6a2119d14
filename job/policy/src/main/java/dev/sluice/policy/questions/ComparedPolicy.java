package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Policy as lists of boxes, one a stage, of which a packet passes each that permits it.
 *
 * @param stages the lists; an owner is the number of a line, or {@link MatchEntry#NOBODY}
 * @param lines the user's lines, one for each of its outcomes
 * @param outcomes the outcome of each line: {@code permit}, {@code deny} or another action
 * @param marks the rules of marks, of which packets depend; null: no packet does
 */
record ComparedPolicy(
        List<List<MatchEntry>> stages,
        List<Line> lines,
        List<String> outcomes,
        @Nullable MarkRules marks) {
    /** A policy whose packets depend on no marks. */
    ComparedPolicy(List<List<MatchEntry>> stages, List<Line> lines, List<String> outcomes) {
        this(stages, lines, outcomes, null);
    }

    /** Stands for a RETURN, whose line is not known here. */
    private static final String SOMEWHERE = "@return";

    /** Words that name an object or set, which a file may define otherwise. */
    private static final Pattern OBJECT = Pattern.compile("@| name |--match-set");

    private static final Match ALL = new Match.Builder().build();

    /**
     * The lists of a policy under an assumed state.
     *
     * @param before stages that deny nothing, of which some set marks
     */
    static ComparedPolicy of(
            Policy policy, AskedFacts asked, Assumptions assumed, List<Stage> before) {
        MarkRules marks = MarkRules.of(policy, before);
        Set<Integer> doubtful = new HashSet<>();
        List<Stage> judging = new ArrayList<>(policy.stages());
        judging.subList(0, judging.size() - 1).removeIf(stage -> !stage.mayDeny());
        List<List<MatchEntry>> stages = new ArrayList<>();
        Map<Decider, Integer> numbers = new LinkedHashMap<>();
        for (Stage stage : judging) {
            List<MatchEntry> entries = new ArrayList<>(unreal(judging, asked));
            ToIntFunction<PolicyRule> owner =
                    rule -> numbers.computeIfAbsent(Decider.of(rule), fresh -> numbers.size());
            for (MatchEntry entry : new StageLint(policy, stage, asked).entries(assumed, owner)) {
                if (entry.decides()) {
                    entries.add(entry);
                }
                if (!entry.certain()) {
                    doubtful.add(entry.owner());
                }
            }
            stages.add(entries);
        }
        List<Line> lines = numbers.keySet().stream().map(Decider::line).toList();
        boolean depends = doubtful.stream().map(lines::get).anyMatch(marks.asking()::contains);
        return new ComparedPolicy(
                stages,
                lines,
                numbers.keySet().stream().map(Decider::outcome).toList(),
                depends ? marks : null);
    }

    /** Returns whether conditions that no header tells may differ: the lines have other words. */
    boolean mayDoubtOtherwise(ComparedPolicy other) {
        Set<String> doubts = doubts();
        return !doubts.equals(other.doubts())
                || doubts.stream().anyMatch(text -> OBJECT.matcher(text).find());
    }

    /**
     * Texts of the lines that decide about packets by something that no header tells, but for the
     * ports of later fragments: a line that decides about other packets for certain stays away.
     */
    private Set<String> doubts() {
        Set<String> doubts = new HashSet<>();
        for (List<MatchEntry> stage : stages) {
            Set<Integer> sure = new HashSet<>();
            stage.stream().filter(MatchEntry::certain).forEach(entry -> sure.add(entry.owner()));
            for (MatchEntry entry : stage) {
                boolean later = MatchEntry.isOfLaterFragments(entry.match());
                if (!entry.certain()
                        && entry.owner() >= 0
                        && !(later && sure.contains(entry.owner()))) {
                    doubts.add(lines.get(entry.owner()).text());
                }
                MatchEntry.Hidden hidden = entry.hidden();
                while (hidden != null
                        && (hidden.certain() || MatchEntry.isOfLaterFragments(hidden.match()))) {
                    hidden = hidden.outer();
                }
                if (hidden != null) {
                    doubts.add(SOMEWHERE);
                }
            }
        }
        return doubts;
    }

    /** A line in one of its outcomes: rules of one line may permit and deny, as those of queues. */
    private record Decider(Line line, String outcome) {
        static Decider of(PolicyRule rule) {
            return new Decider(
                    Line.of(rule),
                    rule.effect() instanceof Effect.Decide decision
                            ? label(decision.outcome())
                            : "");
        }
    }

    /** Packets without an interface that stages know, which no stage gets. */
    private static List<MatchEntry> unreal(List<Stage> stages, AskedFacts asked) {
        List<MatchEntry> unreal = new ArrayList<>();
        for (Field field : List.of(Field.IN_INTERFACE, Field.OUT_INTERFACE)) {
            boolean incoming = field.equals(Field.IN_INTERFACE);
            boolean known =
                    stages.stream()
                            .map(Stage::vantage)
                            .anyMatch(of -> incoming ? of.incoming() : of.outgoing());
            Field present = Objects.requireNonNull(field.present());
            if (known && !asked.interfaces().isEmpty()) {
                unreal.add(nobodys(new Match.Builder().field(present, 0)));
                unreal.add(nobodys(new Match.Builder().field(field, 0, 0x1_0000)));
                unreal.add(nobodys(new Match.Builder().field(field, 0, 0x2_0000)));
            }
        }
        return unreal;
    }

    private static MatchEntry nobodys(Match.Builder match) {
        return new MatchEntry(match.build(), MatchEntry.NOBODY, true, true);
    }

    /** The list of a rule set. */
    static ComparedPolicy of(RuleSet set) {
        Map<Line, Integer> numbers = new LinkedHashMap<>();
        List<MatchEntry> entries = new ArrayList<>();
        for (Rule rule : set.rules()) {
            Line line = new Line(set.name(), rule.line(), "", rule.action(), rule.text().strip());
            int owner = numbers.computeIfAbsent(line, fresh -> numbers.size());
            entries.add(new MatchEntry(rule.match(), owner, true, true));
        }
        String action = set.defaultAction();
        Line end = new Line(set.name(), 0, "", action, "default action " + action);
        int last = numbers.computeIfAbsent(end, fresh -> numbers.size());
        entries.add(new MatchEntry(ALL, last, true, true));
        List<Line> lines = List.copyOf(numbers.keySet());
        List<String> outcomes = lines.stream().map(line -> outcome(line.action())).toList();
        return new ComparedPolicy(List.of(entries), lines, outcomes);
    }

    /** The outcome of a rule that stands for itself. */
    static String outcome(String action) {
        return Outcome.permits(action)
                ? label(Outcome.PERMIT)
                : Outcome.denies(action) ? label(Outcome.DENY) : action;
    }

    private static String label(Outcome outcome) {
        return outcome.label();
    }
}
