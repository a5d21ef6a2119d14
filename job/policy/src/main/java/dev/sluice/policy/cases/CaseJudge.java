package dev.sluice.policy.cases;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Judge of cases by a rule file, by linear search. */
public final class CaseJudge {
    private static final String NOT_JUDGED = "not-judged";

    private final @Nullable PolicyFile policy;
    private final @Nullable RuleSet rules;
    private final List<String> warnings;
    private final Set<String> words = new TreeSet<>();

    /** The policy under each assumption that cases make. */
    private final Map<Assumptions, FlatPolicy> flat = new HashMap<>();

    private CaseJudge(PolicyFile policy) {
        this.policy = policy;
        rules = null;
        warnings = policy.warnings();
        for (Outcome outcome : Outcome.values()) {
            words.add(outcome.label());
        }
        words.add(NOT_JUDGED);
        policy.rules().stream()
                .filter(rule -> rule.effect() instanceof Effect.Decide)
                .forEach(rule -> words.add(rule.action()));
    }

    private CaseJudge(RuleFile file, RuleSet rules) {
        policy = null;
        this.rules = rules;
        warnings = file.warnings();
        words.add(rules.defaultAction());
        rules.rules().forEach(rule -> words.add(rule.action()));
    }

    /**
     * Reads the rules.
     *
     * @param ports names of switch ports that rules may use
     * @param defaultAction action of packets that no rule matches, where rules stand for themselves
     */
    public static CaseJudge read(
            OpenRules text, SwitchPorts ports, PolicyOptions options, String defaultAction) {
        if (text.isPolicy()) {
            return new CaseJudge(PolicyFile.read(text, options));
        }
        RuleFile file = RuleFile.read(text, ports, options);
        return new CaseJudge(file, file.toRuleSet(text.file().toString(), 1, defaultAction));
    }

    /** Notes to the reader of the rules, each with its line. */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Judges a case.
     *
     * @throws SluiceException if no packet can have what it expects
     */
    public CaseResult judge(VerdictCase of) {
        if (!words.contains(of.expected())) {
            throw new SluiceException(
                    "%s:%d:%d: '%s': is no verdict of these rules; expect one of %s"
                            .formatted(
                                    of.expectedAt().file(),
                                    of.expectedAt().line(),
                                    of.expectedAt().column(),
                                    of.expected(),
                                    String.join(", ", words)));
        }
        if (policy != null) {
            FlatPolicy chains =
                    flat.computeIfAbsent(
                            of.assumed(), assumed -> FlatPolicy.of(policy.policies(), assumed));
            FlatPolicy.Answer answer = chains.judge(of.header());
            if (answer == null) {
                return result(of, NOT_JUDGED, NOT_JUDGED, 0, "");
            }
            boolean depends = answer.outcome() == Outcome.DEPENDS;
            String outcome = answer.outcome().label();
            return result(
                    of,
                    outcome,
                    depends ? outcome : answer.rule().action(),
                    answer.rule().origin().line(),
                    answer.rule().origin().text());
        }
        for (Rule rule : Objects.requireNonNull(rules).rules()) {
            if (rule.match().matches(of.header())) {
                return result(of, rule.action(), rule.action(), rule.line(), rule.text());
            }
        }
        return result(of, rules.defaultAction(), rules.defaultAction(), 0, "");
    }

    private static CaseResult result(
            VerdictCase of, String outcome, String action, int line, String text) {
        boolean asExpected = of.expected().equals(outcome) || of.expected().equals(action);
        Integer asked = of.line();
        return new CaseResult(
                of, outcome, action, line, text, asExpected && (asked == null || asked == line));
    }
}
