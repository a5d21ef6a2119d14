package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Chains that stand for marks, within a budget, and the rules that lead to them. */
final class MarkChains {
    /** Most chains of a stage. */
    private static final int MOST = 2_000;

    /** Most chains that a packet is in at once. */
    private static final int MOST_DEEP = 120;

    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final Map<Object, String> names = new HashMap<>();
    private final IdentityHashMap<PolicyRule, PolicyRule> originals = new IdentityHashMap<>();
    private final IdentityHashMap<PolicyRule, Boolean> settled = new IdentityHashMap<>();
    private final Alternatives alternatives;
    private int depth;

    /**
     * More chains than {@link #MOST}, or than {@link #MOST_DEEP} of which each leads to the next.
     */
    static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Rules that are left of a chain.
     *
     * @param behind where the packet goes on at their end; null: behind the last jump
     */
    record Rest(String chain, int from, @Nullable Rest behind) {
        /** The rules behind one of them. */
        Rest behind(int rule) {
            return new Rest(chain, rule + 1, behind);
        }
    }

    MarkChains(Stage stage, Assumptions assumed) {
        alternatives = new Alternatives(assumed, stage.vantage(), PacketSets.NONE);
    }

    Map<String, List<PolicyRule>> chains() {
        return chains;
    }

    /** The name of the chain of what packets have reached; its rules are made once. */
    String named(Object reached, String words, Supplier<List<PolicyRule>> rules) {
        String known = names.get(reached);
        if (known != null) {
            return known;
        }
        String name = words + " " + names.size();
        names.put(reached, name);
        if (names.size() > MOST || ++depth > MOST_DEEP) {
            throw new TooManyException();
        }
        chains.put(name, rules.get());
        depth--;
        return name;
    }

    /** A rule with another condition and effect, which stands for the user's. */
    PolicyRule with(PolicyRule rule, Condition condition, Effect effect) {
        if (condition.equals(rule.condition()) && effect.equals(rule.effect())) {
            return rule;
        }
        PolicyRule changed = rule.with(condition, effect);
        originals.put(changed, rule);
        return changed;
    }

    /** A rule of nobody's that stands for the user's. */
    PolicyRule beside(PolicyRule rule, Condition condition, Effect effect) {
        PolicyRule beside = new PolicyRule(Unmarked.NOBODYS, condition, effect, "");
        originals.put(beside, rule);
        return beside;
    }

    /** Leads all packets to a chain. */
    static PolicyRule all(String chain) {
        return new PolicyRule(Unmarked.NOBODYS, Condition.ALWAYS, new Effect.Goto(chain), "");
    }

    /** Returns whether nobody tells of some packet if it meets a condition, as it arrives. */
    boolean isUnknown(Condition arriving) {
        return alternatives.of(arriving, false).stream().anyMatch(Alternative::unknown);
    }

    /**
     * Leads packets that meet a condition for certain to a chain.
     *
     * @param arriving on packets as they arrive
     */
    void certain(List<PolicyRule> left, Condition arriving, Supplier<String> chain) {
        if (alternatives.of(arriving, false).stream().anyMatch(one -> !one.unknown())) {
            add(left, arriving, true, chain.get());
        }
    }

    /** Leads other packets, too, that may meet it. */
    void perhaps(List<PolicyRule> left, Condition arriving, Supplier<String> chain) {
        if (isUnknown(arriving)) {
            add(left, arriving, false, chain.get());
        }
    }

    private void add(List<PolicyRule> left, Condition arriving, boolean certain, String chain) {
        PolicyRule leads = new PolicyRule(Unmarked.NOBODYS, arriving, new Effect.Goto(chain), "");
        settled.put(leads, certain);
        left.add(leads);
    }

    /** The stage of the chains, of which packets enter one. */
    Unmarked unmarked(Stage stage, String base) {
        return new Unmarked(
                new Stage(stage.name(), base, chains, stage.end(), stage.vantage(), stage.judges()),
                originals,
                settled);
    }
}
