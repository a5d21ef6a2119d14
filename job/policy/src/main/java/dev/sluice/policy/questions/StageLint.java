package dev.sluice.policy.questions;

import dev.sluice.policy.flatten.StageList;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Tracking;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lint of a stage. */
final class StageLint {
    /** Options and statements by which rules note packets in a list of addresses or in a set. */
    private static final Pattern NOTES =
            Pattern.compile("(^| )(--(set|update|remove)( |$)|(add|update|delete) @)");

    private final Policy policy;
    private final Stage stage;
    private final AskedFacts asked;
    private final List<Line> lines;
    private final int end;
    private final IdentityHashMap<PolicyRule, Integer> owners = new IdentityHashMap<>();
    private final Map<Line, String> emptyJumps = new HashMap<>();

    /** Lines whose rules decide nothing. */
    private final Set<Line> passing = new HashSet<>();

    /** Lines whose rules decide and do more than that. */
    private final Set<Line> noting = new HashSet<>();

    /** Lines of rules that decide about every packet before rules of their chain that ask. */
    private final Set<Line> whole = new HashSet<>();

    private final Set<Line> denying = new HashSet<>();

    /** Lines of rules that stand where a format, not a user, put them. */
    private final Set<Line> unplaced = new HashSet<>();

    /** True if the stage sets marks that a later one asks for. */
    private final boolean marks;

    /** True if the fate of packets depends on the states of their connections. */
    private final boolean asksStates;

    StageLint(Policy policy, Stage stage, AskedFacts asked) {
        this.policy = policy;
        this.stage = stage;
        this.asked = asked;
        asksStates = asksStates(policy, stage);
        marks =
                stage.setsMark()
                        && policy.stages().stream().skip(behind()).anyMatch(Stage::asksMark);
        Map<Line, Integer> numbers = new LinkedHashMap<>();
        stage.chains()
                .forEach(
                        (chain, rules) -> {
                            rules.forEach(rule -> add(rule, chain, numbers));
                            int asking = rules.size(); // the end of a list asks for nothing
                            while (asking > 0 && isWhole(rules.get(asking - 1))) {
                                asking--;
                            }
                            rules.stream()
                                    .limit(asking)
                                    .filter(StageLint::isWhole)
                                    .forEach(rule -> whole.add(Line.of(rule)));
                            addDoubts(rules);
                        });
        end = numbers.computeIfAbsent(Line.of(stage.end()), fresh -> numbers.size());
        owners.put(stage.end(), end);
        lines = List.copyOf(numbers.keySet());
    }

    private static boolean asksStates(Policy policy, Stage stage) {
        return stage.asksState(false)
                || Tracking.isAsked(policy.judges(), false)
                || stage.vantage().marks().ofNat() != 0;
    }

    /** Returns whether the fate of packets depends on the states of their connections. */
    static boolean asksStates(Policy policy) {
        return policy.stages().stream().anyMatch(stage -> asksStates(policy, stage));
    }

    private int behind() {
        return 1 + policy.stages().indexOf(stage);
    }

    private void add(PolicyRule rule, String chain, Map<Line, Integer> numbers) {
        Line line = Line.of(rule);
        String of = rule.origin().chain();
        if (!of.equals(chain) && stage.chains().containsKey(of)) {
            unplaced.add(line);
        }
        owners.put(rule, numbers.computeIfAbsent(line, fresh -> numbers.size()));
        String target = Stage.target(rule);
        if (target != null
                && line.number() > 0
                && !target.equals(of)
                && stage.chains().getOrDefault(target, List.of()).isEmpty()) {
            emptyJumps.put(line, target);
        }
        if (!(rule.effect() instanceof Effect.Decide decision)) {
            passing.add(line);
        } else if (marks && decision.outcome() == Outcome.PERMIT
                || NOTES.matcher(rule.origin().text()).find()) {
            noting.add(line);
        }
        if (rule.effect() instanceof Effect.Decide decides
                && decides.outcome() == Outcome.DENY
                && line.number() > 0) {
            denying.add(line);
        }
    }

    /** Returns whether a rule decides about every packet. */
    private static boolean isWhole(PolicyRule rule) {
        return rule.effect() instanceof Effect.Decide && rule.condition().equals(Condition.ALWAYS);
    }

    /** Two rules of one line and condition, of which one permits, say that packets depend. */
    private void addDoubts(List<PolicyRule> chain) {
        for (int i = 1; i < chain.size(); i++) {
            PolicyRule rule = chain.get(i);
            PolicyRule before = chain.get(i - 1);
            if (rule.effect() instanceof Effect.Decide
                    && before.effect() instanceof Effect.Decide
                    && rule.origin().equals(before.origin())
                    && rule.condition().equals(before.condition())) {
                noting.addAll(List.of(Line.of(before), Line.of(rule)));
                unplaced.addAll(List.of(Line.of(before), Line.of(rule)));
            }
        }
    }

    /**
     * Adds its findings. Where no state of connections is assumed, packets are the first ones of
     * theirs; a rule that none of these needs is judged by the others and those that tracking
     * skips, too, where rules ask for states.
     */
    void addTo(Function<Line, LintFold> folds, Assumptions assumed) {
        ConnectionState given = assumed.state();
        List<ConnectionState> states = new ArrayList<>();
        states.add(given == null ? ConnectionState.NEW : given);
        if (given == null && asksStates) {
            states.add(ConnectionState.ESTABLISHED);
            if (policy.untracked() != null) {
                states.add(ConnectionState.UNTRACKED);
            }
        }
        BitSet open = new BitSet();
        for (int owner = 0; owner < lines.size(); owner++) {
            open.set(owner, owner == end || lines.get(owner).number() > 0);
        }
        for (ConnectionState state : states) {
            List<MatchEntry> entries = entries(assumed.withState(state));
            for (MatchEntry entry : entries) {
                if (entry.owner() != MatchEntry.NOBODY && open.get(entry.owner())) {
                    folds.apply(lines.get(entry.owner())).add(entry);
                }
            }
            List<RuleFinding> findings = findings(entries, open::get);
            String label = state == states.get(0) ? "" : " " + state.label();
            for (int owner = open.nextSetBit(0); owner >= 0; owner = open.nextSetBit(owner + 1)) {
                RuleFinding finding = findings.get(owner);
                add(folds, owner, finding, label);
                open.set(owner, !finding.isSettled());
            }
            if (open.isEmpty()) {
                break;
            }
        }
        noting.forEach(line -> folds.apply(line).doMore());
        whole.stream()
                .filter(line -> line.number() > 0)
                .forEach(line -> folds.apply(line).trap(Kind.ANY_ANY));
        denying.forEach(line -> folds.apply(line).deny());
        emptyJumps.forEach((line, chain) -> folds.apply(line).emptyChain(chain));
    }

    private void add(Function<Line, LintFold> folds, int owner, RuleFinding finding, String state) {
        Line line = lines.get(owner);
        folds.apply(line).add(finding, lines, isDefault(owner), asked, state);
    }

    /** Returns whether a rule decides about the packets that a user's rules leave. */
    private boolean isDefault(int owner) {
        Line line = lines.get(owner);
        return owner == end || unplaced.contains(line) && decides(line) && !noting.contains(line);
    }

    /** Returns whether a line's rules permit or deny. */
    boolean decides(Line line) {
        return !passing.contains(line);
    }

    /** The lines of its rules; the findings about them stand in this order. */
    List<Line> lines() {
        return lines;
    }

    /** Findings under an assumed state. */
    List<RuleFinding> findings(Assumptions assumed) {
        return findings(entries(assumed), owner -> true);
    }

    /** The list under an assumed state; an owner is the number of a line. */
    private List<MatchEntry> entries(Assumptions assumed) {
        return entries(assumed, this::owner);
    }

    /**
     * The list under an assumed state.
     *
     * @param owner of a rule
     */
    List<MatchEntry> entries(Assumptions assumed, ToIntFunction<PolicyRule> owner) {
        List<MatchEntry> entries = new ArrayList<>();
        IdentityHashMap<StageList.Hidden, MatchEntry.Hidden> known = new IdentityHashMap<>();
        for (StageList.Box box : StageList.of(policy, stage, assumed)) {
            PolicyRule rule = box.rule();
            entries.add(
                    new MatchEntry(
                            box.match(),
                            rule == null ? MatchEntry.NOBODY : owner.applyAsInt(rule),
                            box.decides(),
                            box.certain(),
                            hidden(box.hidden(), known)));
        }
        return entries;
    }

    private List<RuleFinding> findings(List<MatchEntry> entries, IntPredicate which) {
        return Lint.of(
                entries,
                lines.stream().map(Line::action).toList(),
                end,
                which,
                owner -> lines.get(owner).number() > 0 && !unplaced.contains(lines.get(owner)));
    }

    private int owner(PolicyRule rule) {
        Integer owner = owners.get(rule);
        if (owner == null) {
            throw new IllegalStateException("no rule of the stage: " + rule);
        }
        return owner;
    }

    private MatchEntry.@Nullable Hidden hidden(
            StageList.@Nullable Hidden of,
            IdentityHashMap<StageList.Hidden, MatchEntry.Hidden> known) {
        List<StageList.Hidden> fresh = new ArrayList<>();
        StageList.Hidden at = of;
        while (at != null && !known.containsKey(at)) {
            fresh.add(at);
            at = at.outer();
        }
        MatchEntry.Hidden hidden = at == null ? null : known.get(at);
        for (int i = fresh.size() - 1; i >= 0; i--) {
            StageList.Hidden one = fresh.get(i);
            int owner = owners.getOrDefault(one.rule(), MatchEntry.NOBODY);
            hidden = new MatchEntry.Hidden(one.match(), owner, one.certain(), hidden);
            known.put(one, hidden);
        }
        return hidden;
    }
}
