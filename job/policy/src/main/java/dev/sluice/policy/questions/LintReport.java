package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Findings of lint in a rule file.
 *
 * @param rules the rules, in the order of the file
 * @param unusedChains first line of each chain that no hook leads to
 * @param unusedObjects lines of the sets and other objects that no rule names
 * @param warnings what the reader should know, each with its line
 */
public record LintReport(
        List<LintRule> rules,
        List<Line> unusedChains,
        List<Line> unusedObjects,
        List<String> warnings) {
    /** Action of ClassBench rules, which have none. */
    private static final String NO_ACTION = "match";

    private static final Match ALL = new Match.Builder().build();

    /** As {@link #of(OpenRules, SwitchPorts, PolicyOptions, String, Function)}, without packets. */
    public static LintReport of(
            OpenRules text, SwitchPorts ports, PolicyOptions options, String defaultAction) {
        return of(text, ports, options, defaultAction, line -> null);
    }

    /**
     * Lints an open file. Each stage of a policy is a list of its own; a rule of several lists is
     * dead where it is in all of them, and redundant where it is in all that have packets for it.
     *
     * @param options where no state of connections is assumed, rules are judged by packets of each
     * @param defaultAction of lists whose rules stand for themselves
     * @param uses the packets that hit a line; null: not known
     */
    public static LintReport of(
            OpenRules text,
            SwitchPorts ports,
            PolicyOptions options,
            String defaultAction,
            Function<Line, @Nullable RuleUse> uses) {
        Map<Line, LintFold> folds = new TreeMap<>();
        Function<Line, LintFold> fold =
                line -> folds.computeIfAbsent(line, of -> new LintFold(of, uses.apply(of)));
        if (!text.isPolicy()) {
            RuleFile file = RuleFile.read(text, ports, options);
            ofList(text, file, defaultAction, fold);
            return report(folds, List.of(), List.of(), file.warnings());
        }
        PolicyFile.Listed listed = PolicyFile.list(text, options);
        for (Policy policy : listed.asked()) {
            Assumptions given = options.assumed();
            AskedFacts asked = AskedFacts.NONE.and(policy.conditions(), false, given.host());
            Assumptions assumed = given.telling(asked).meeting(policy.name());
            for (Stage stage : policy.stages()) {
                new StageLint(policy, stage, asked).addTo(fold, assumed);
            }
            PolicyRule closing =
                    text.format() instanceof PolicyFormat format && format.tellsBothVersions()
                            ? VendorTraps.openToIpv6(policy, assumed.withState(ConnectionState.NEW))
                            : null;
            if (closing != null && closing.origin().line() > 0) {
                fold.apply(Line.of(closing)).trap(Kind.IPV6_OPEN);
            }
        }
        List<Line> sets =
                listed.unusedObjects().stream()
                        .map(of -> new Line(of.file(), of.line(), of.chain(), "", of.text()))
                        .toList();
        return report(folds, unused(listed), sets, listed.warnings());
    }

    private static void ofList(
            OpenRules text, RuleFile file, String defaultAction, Function<Line, LintFold> fold) {
        RuleSet set = file.toRuleSet(text.file().toString(), 1, defaultAction);
        Map<Line, Integer> owners = new LinkedHashMap<>();
        List<MatchEntry> entries = new ArrayList<>();
        Set<Line> whole = new HashSet<>();
        boolean acts = false;
        for (Rule rule : set.rules()) {
            Line line = new Line(set.name(), rule.line(), "", rule.action(), rule.text().strip());
            int owner = owners.computeIfAbsent(line, fresh -> owners.size());
            MatchEntry entry = new MatchEntry(rule.match(), owner, true, true);
            entries.add(entry);
            fold.apply(line).add(entry);
            if (rule.match().equals(ALL)) {
                whole.add(line);
            }
            acts |= !rule.action().equals(NO_ACTION);
        }
        String action = acts ? set.defaultAction() : NO_ACTION;
        Line end = new Line(set.name(), 0, "", action, "default action " + set.defaultAction());
        int last = owners.computeIfAbsent(end, fresh -> owners.size());
        entries.add(new MatchEntry(ALL, last, true, true));
        List<Line> lines = List.copyOf(owners.keySet());
        List<RuleFinding> findings =
                Lint.of(entries, lines.stream().map(Line::action).toList(), last);
        for (int owner = 0; owner < lines.size(); owner++) {
            LintFold of = fold.apply(lines.get(owner));
            of.add(findings.get(owner), lines, owner == last, AskedFacts.NONE, "");
            if (owner < last - 1 && whole.contains(lines.get(owner))) {
                of.trap(Kind.ANY_ANY);
            }
            if (owner != last && lines.get(owner).action().equals(RuleSet.DROP)) {
                of.deny();
            }
        }
    }

    private static LintReport report(
            Map<Line, LintFold> folds, List<Line> unused, List<Line> sets, List<String> warnings) {
        return new LintReport(
                folds.values().stream().map(LintFold::rule).toList(), unused, sets, warnings);
    }

    /** First line of each chain that no base chain leads to; such a chain's end has no text. */
    private static List<Line> unused(PolicyFile.Listed listed) {
        Set<Origin> used = new HashSet<>();
        List<List<PolicyRule>> others = new ArrayList<>();
        for (Policy policy : listed.all().values()) {
            for (Stage stage : policy.stages()) {
                if (stage.end().origin().text().isEmpty()) {
                    others.add(stage.chains().getOrDefault(stage.base(), List.of()));
                } else {
                    stage.chains().values().stream()
                            .flatMap(List::stream)
                            .forEach(rule -> used.add(rule.origin()));
                }
            }
        }
        return others.stream()
                .filter(chain -> !chain.isEmpty() && !used.contains(chain.get(0).origin()))
                .map(chain -> Line.of(chain.get(0)))
                .distinct()
                .sorted()
                .toList();
    }
}
