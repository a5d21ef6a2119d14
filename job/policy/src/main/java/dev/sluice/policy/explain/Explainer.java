package dev.sluice.policy.explain;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.flatten.Truth;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.LintRule;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Explainer of verdicts by the rules of a file. Not thread-safe. */
public abstract class Explainer {
    /** An explainer by rules that stand for themselves. */
    public static Explainer of(RuleFile rules, String name, String defaultAction) {
        return new ListExplainer(rules, rules.toRuleSet(name, 1, defaultAction));
    }

    /** An explainer by a policy. */
    public static Explainer of(PolicyFile policy) {
        return new PolicyExplainer(policy);
    }

    /** Facts that the rules ask captures for. */
    public abstract AskedFacts asked();

    /** The header words that the rules look at. */
    public abstract long wordBits();

    /** Explains the verdict on a packet. */
    public abstract Explanation explain(JudgedPacket packet);

    /**
     * Tells what a packet would need for a line to decide.
     *
     * @param lint findings about the same rules, asked for only where no change of the packet's
     *     missing fields suffices
     * @throws dev.sluice.policy.io.SluiceException if no rule begins on the line
     */
    public WhyNot whyNot(JudgedPacket packet, int line, Supplier<List<LintRule>> lint) {
        return new WhyNotSearch(this, packet, line).answer(lint);
    }

    /** The rules that begin on a line. */
    abstract List<Line> on(int line);

    /** Lowest and highest line with a rule. */
    abstract String lines();

    /** Tells how a line's rule acts on a packet: for certain, or as something unknown decides. */
    abstract Truth acts(JudgedPacket packet, int line);

    /** The rules that decide about a packet, or may. */
    abstract List<Line> deciding(JudgedPacket packet);

    /** Ways of a packet to a line's rule, those with the fewest needs first. */
    abstract List<Attempt> attempts(JudgedPacket packet, int line);

    /**
     * Way to a rule.
     *
     * @param needs what the packet misses
     * @param packet the packet that has it; null: no header states it
     */
    record Attempt(List<Need> needs, @Nullable JudgedPacket packet) {}
}
