package dev.sluice.policy.junos;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Configuration that is read, and what its reader says of it. */
final class Config {
    static final Effect PERMIT = new Effect.Decide(Outcome.PERMIT);
    static final Effect DENY = new Effect.Decide(Outcome.DENY);

    private final RuleReading in;
    private final boolean skips;
    private final Statement root;
    private final Set<String> said = new HashSet<>();

    Config(RuleReading in, boolean skips, Statement root) {
        this.in = in;
        this.skips = skips;
        this.root = root;
    }

    Statement root() {
        return root;
    }

    /**
     * The condition of words that are not understood: a defect, or where a user skips it unknown.
     */
    Condition skipped(JunosException refused) {
        if (!skips) {
            if (said.add(refused.line() + ":" + refused.getMessage())) {
                in.defect(refused.line(), refused.defect());
            }
            return Condition.NEVER;
        }
        return unknown(refused.line(), "skipped: " + refused.getMessage());
    }

    /** A condition that nobody can see in a packet, said with its line. */
    Condition unknown(int line, String words) {
        warn(line, words);
        return new Condition.Unknown(words);
    }

    /** Says something of a line, once. */
    void warn(int line, String words) {
        if (said.add(line + words)) {
            in.warn(line, words);
        }
    }

    /** A rule of a line of the configuration. */
    PolicyRule rule(
            int line,
            String chain,
            String text,
            Condition condition,
            Effect effect,
            String action) {
        Origin origin = new Origin(in.file(), line, chain, "", text, null);
        return new PolicyRule(origin, condition, effect, action);
    }

    /** Rules that permit packets of a condition or deny them, of which nobody knows. */
    List<PolicyRule> unclear(PolicyRule of, Condition unknown) {
        return List.of(
                of.with(Condition.all(of.condition(), unknown), PERMIT),
                of.with(Condition.all(of.condition(), unknown), DENY));
    }
}
