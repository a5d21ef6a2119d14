package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rules that one rule of a ruleset becomes, while its statements are read one by one. Statements
 * behind one that sets the mark stand in a chain of their own, where those before ask for the mark:
 * they were asked about the old one.
 */
final class DraftedRules {
    /** A mark that nobody tells. */
    static final Effect.Mark LOSS = new Effect.Mark(0, 0, -1);

    private final Supplier<Origin> origin;
    private final List<Condition> conditions = new ArrayList<>();
    private final List<PolicyRule> rules = new ArrayList<>();

    /** The condition of the first statement that sets the mark; null: none does. */
    private @Nullable Condition unmarked;

    /** The condition of what is in the chain of its own. */
    private Condition outer = Condition.ALWAYS;

    private @Nullable List<PolicyRule> inner;
    private boolean lost;

    DraftedRules(Supplier<Origin> origin) {
        this.origin = origin;
    }

    /** The conditions of the statements so far, to be added to. */
    List<Condition> conditions() {
        return conditions;
    }

    Condition condition() {
        return Conditions.all(conditions);
    }

    /** Lets another condition stand for all so far. */
    void restart(Condition instead) {
        conditions.clear();
        conditions.add(instead);
    }

    void emit(Effect effect, String action) {
        current().add(new PolicyRule(origin.get(), condition(), effect, action));
    }

    private List<PolicyRule> current() {
        return inner == null ? rules : inner;
    }

    /** Returns the rule that was added last; null: none. */
    @Nullable PolicyRule last() {
        List<PolicyRule> own = current();
        return own.isEmpty() ? null : own.get(own.size() - 1);
    }

    /** Sets the mark of packets that come here; returns whether the conditions begin anew. */
    boolean mark(Effect.Mark change, String action) {
        Condition met = condition();
        unmarked = unmarked == null ? met : unmarked;
        boolean asked = MarkState.isAsked(met);
        boolean fresh = asked && inner == null;
        lost |= asked && inner != null;
        if (fresh) {
            outer = met;
            conditions.clear();
            inner = new ArrayList<>();
        }
        emit(change, action);
        return fresh;
    }

    /**
     * The condition on a packet as it comes to the rule; unknown where the rule sets the mark
     * before.
     */
    Condition asItComes(String words) {
        return unmarked == null
                ? condition()
                : Conditions.all(unmarked, new Condition.Unknown(words));
    }

    /** Adds a condition that is asked before all statements. */
    void before(Condition needs) {
        conditions.add(needs);
        outer = Conditions.all(needs, outer);
        rules.replaceAll(rule -> of(needs, rule));
    }

    private static PolicyRule of(Condition needs, PolicyRule rule) {
        return rule.with(Conditions.all(needs, rule.condition()), rule.effect());
    }

    /**
     * Adds the rules to the chains of their table, once all statements are read; returns the first.
     */
    PolicyRule addTo(Map<String, List<PolicyRule>> chains) {
        Origin of = origin.get();
        List<PolicyRule> own = inner;
        if (own != null) {
            String name = "the rest of %s:%d (%d)"; // as no chain of a ruleset is named
            end(own, name.formatted(of.file(), of.line(), chains.size()), chains);
        }
        if (rules.isEmpty()) {
            rules.add(new PolicyRule(of, condition(), new Effect.Continue(), ""));
        }
        chains.computeIfAbsent(of.chain(), fresh -> new ArrayList<>()).addAll(rules);
        return rules.get(0);
    }

    private void end(List<PolicyRule> own, String chain, Map<String, List<PolicyRule>> chains) {
        PolicyRule last = own.get(own.size() - 1);
        boolean leaves = leaves(last) && last.condition().equals(Condition.ALWAYS);
        lost |=
                own.subList(0, own.size() - (leaves ? 1 : 0)).stream()
                        .anyMatch(DraftedRules::leaves);
        if (lost || own.size() == 1) {
            for (PolicyRule rule : own) {
                PolicyRule met = of(outer, rule);
                boolean unknown = lost && rule.effect() instanceof Effect.Mark;
                rules.add(unknown ? met.with(LOSS) : met);
            }
            inner = null;
            return;
        }
        Effect leads = leaves ? new Effect.Goto(chain) : new Effect.Jump(chain);
        rules.add(last.with(outer, leads));
        chains.put(chain, own);
    }

    private static boolean leaves(PolicyRule rule) {
        return rule.effect() instanceof Effect.Goto || rule.effect() instanceof Effect.Return;
    }
}
