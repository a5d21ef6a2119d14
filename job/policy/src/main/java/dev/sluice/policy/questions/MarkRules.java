package dev.sluice.policy.questions;

import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rules that set marks of packets and that ask for them. Where no header tells a mark, two policies
 * treat marks alike only if these rules are equal.
 *
 * @param rules the rules, and what decides who meets them; equal lists treat marks alike
 * @param asking the lines that ask for marks
 * @param leads whether some of these lead packets into chains, or out of them
 */
record MarkRules(List<List<Object>> rules, Set<Line> asking, boolean leads) {
    /** Words that ask for a mark, or set one. */
    private static final Pattern MARK = Pattern.compile("(?<!\\w)mark\\b");

    private static final Pattern SETS = Pattern.compile("(?<!\\w)mark\\s+set\\b");

    /** Words that do not bear on a rule's meaning. */
    private static final Pattern COUNTERS =
            Pattern.compile("^\\[\\d+:\\d+] |counter packets \\d+ bytes \\d+|# handle \\d+");

    /**
     * The rules of a policy.
     *
     * @param before stages that deny nothing, of which some set marks
     */
    static MarkRules of(Policy policy, List<Stage> before) {
        Map<List<Object>, Integer> numbers = new LinkedHashMap<>();
        List<Object> bases = new ArrayList<>();
        Set<Line> asking = new HashSet<>();
        boolean leads = false;
        List<Stage> stages = new ArrayList<>(before);
        stages.removeIf(stage -> rules(stage).stream().noneMatch(MarkRules::sets));
        stages.addAll(policy.stages());
        for (Stage stage : stages) {
            boolean whole = rules(stage).stream().anyMatch(MarkRules::sets);
            bases.add(number(stage, stage.base(), whole, numbers, new HashMap<>()));
            for (PolicyRule rule : rules(stage)) {
                if (asks(rule)) {
                    asking.add(Line.of(rule));
                    leads |= Stage.target(rule) != null || rule.effect() instanceof Effect.Return;
                }
            }
        }
        List<List<Object>> rules = new ArrayList<>(numbers.keySet());
        rules.add(bases);
        return new MarkRules(rules, asking, leads);
    }

    private static List<PolicyRule> rules(Stage stage) {
        return stage.chains().values().stream().flatMap(List::stream).toList();
    }

    private static boolean sets(PolicyRule rule) {
        return rule.effect() instanceof Effect.Mark || SETS.matcher(rule.origin().text()).find();
    }

    private static boolean asks(PolicyRule rule) {
        return MarkState.isAsked(rule.condition()) || MARK.matcher(rule.origin().text()).find();
    }

    /** The number of a chain by the rules in it that bear on marks; 0: none. */
    private static int number(
            Stage stage,
            String chain,
            boolean whole,
            Map<List<Object>, Integer> numbers,
            Map<String, Integer> known) {
        Integer number = known.get(chain);
        if (number != null) {
            return number;
        }
        List<Object> content = new ArrayList<>();
        boolean any = whole;
        for (PolicyRule rule : stage.chains().getOrDefault(chain, List.of())) {
            Effect effect = rule.effect();
            String target = Stage.target(rule);
            int inner = target == null ? 0 : number(stage, target, whole, numbers, known);
            boolean bears = inner > 0 || asks(rule);
            any |= bears;
            if (whole
                    || bears
                    || effect instanceof Effect.Return
                    || effect instanceof Effect.Goto) {
                content.add(rule.condition());
                content.add(target == null ? effect : effect.getClass());
                content.add(inner);
                content.add(sets(rule) ? text(rule) : "");
            }
        }
        int of = any ? numbers.computeIfAbsent(content, fresh -> numbers.size() + 1) : 0;
        known.put(chain, of);
        return of;
    }

    private static String text(PolicyRule rule) {
        return rule.effect() instanceof Effect.Mark mark && mark.lost() == 0
                ? ""
                : COUNTERS.matcher(rule.origin().text()).replaceAll("").strip();
    }
}
