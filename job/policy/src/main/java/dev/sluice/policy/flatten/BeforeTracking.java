package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Answer to the question whether a packet comes to connection tracking: a header that asks it by
 * {@link Field#CONNECTION_ASKED} does not come to the policy if rules surely drop or exempt its
 * packet before.
 *
 * <p>The stages before tracking, and the one that permits exempt packets, become chains of the
 * stage that permits what comes to the policy. One leads to the next where its packets go on.
 */
final class BeforeTracking {
    private static final Effect TRACKED = new Effect.Decide(Outcome.PERMIT);
    private static final Effect NOT_TRACKED = new Effect.Decide(Outcome.DENY);

    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final Stage stage;
    private final String prefix;

    /** Effect on packets that the stage permits, and on those that it denies. */
    private final Effect ifPermits;

    private final Effect ifDenies;

    /** Rules that drop, whose packets do not come to the stage. */
    private final Set<Dropped> before;

    /** Rule that drops; a map of verdicts makes several of one origin. */
    private record Dropped(Origin origin, Condition condition) {
        static Dropped of(PolicyRule rule) {
            return new Dropped(rule.origin(), rule.condition());
        }
    }

    private BeforeTracking(
            Stage stage, int number, Effect ifPermits, Effect ifDenies, Set<Dropped> before) {
        this.before = before;
        this.stage = stage;
        this.prefix = number + " ";
        this.ifPermits = ifPermits;
        this.ifDenies = ifDenies;
    }

    /**
     * The stage that permits what comes to a policy, with the answer.
     *
     * @param judges the stage without it, whose last rule permits
     */
    static Stage asked(Policy policy, Stage judges) {
        List<Stage> early =
                policy.stages().stream()
                        .filter(stage -> stage.vantage().states() != Vantage.States.TRACKED)
                        .filter(Stage::mayDeny)
                        .toList();
        if (early.isEmpty() && policy.untracked() == null) {
            return judges;
        }
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>(judges.chains());
        Effect next = TRACKED;
        if (policy.untracked() != null) {
            Set<Dropped> dropping =
                    early.stream()
                            .flatMap(stage -> stage.chains().values().stream())
                            .flatMap(List::stream)
                            .filter(rule -> rule.effect().equals(NOT_TRACKED))
                            .map(Dropped::of)
                            .collect(Collectors.toSet());
            next =
                    new BeforeTracking(policy.untracked(), 0, NOT_TRACKED, next, dropping)
                            .into(chains);
        }
        for (int i = early.size(); i > 0; i--) {
            next =
                    new BeforeTracking(early.get(i - 1), i, next, NOT_TRACKED, Set.of())
                            .into(chains);
        }
        List<PolicyRule> base = new ArrayList<>(Objects.requireNonNull(chains.get(judges.base())));
        PolicyRule comes = base.get(base.size() - 1);
        Condition asks = Condition.all(Condition.is(Field.CONNECTION_ASKED, 1), comes.condition());
        base.add(base.size() - 1, new PolicyRule(comes.origin(), asks, next, ""));
        chains.put(judges.base(), base);
        return new Stage(judges.name(), judges.base(), chains, judges.end(), judges.vantage());
    }

    /** Adds the chains, and returns the effect that leads to the first. */
    private Effect into(Map<String, List<PolicyRule>> all) {
        Effect enters = new Effect.Goto(chain(stage.base(), true));
        if (!stage.judges().equals(Condition.ALWAYS)) {
            List<PolicyRule> comes = new ArrayList<>();
            comes.add(stage.end().with(stage.vantage().of(stage.judges()), enters));
            comes.add(
                    stage.end()
                            .with(
                                    Condition.ALWAYS,
                                    ifPermits.equals(NOT_TRACKED) ? ifDenies : ifPermits));
            chains.put(prefix + "comes", comes);
            enters = new Effect.Goto(prefix + "comes");
        }
        all.putAll(chains);
        return enters;
    }

    /**
     * Adds a chain and those that it leads to.
     *
     * @param last whether the stage is over at its end
     */
    private String chain(String from, boolean last) {
        String name = prefix + (last ? "ends " : "comes back ") + from;
        if (chains.containsKey(name)) {
            return name;
        }
        List<PolicyRule> rules = new ArrayList<>();
        chains.put(name, rules);
        for (PolicyRule rule : Objects.requireNonNull(stage.chains().get(from), from)) {
            if (before.contains(Dropped.of(rule))) {
                continue;
            }
            rules.add(rule.with(stage.vantage().of(rule.condition()), effect(rule.effect(), last)));
        }
        if (last) {
            rules.add(stage.end().with(Condition.ALWAYS, effect(stage.end().effect(), true)));
        }
        return name;
    }

    private Effect effect(Effect effect, boolean last) {
        if (effect instanceof Effect.Decide decides) {
            return decides.outcome() == Outcome.PERMIT ? ifPermits : ifDenies;
        }
        if (effect instanceof Effect.Jump jump) {
            return new Effect.Jump(chain(jump.chain(), false));
        }
        if (effect instanceof Effect.Goto move) {
            return new Effect.Goto(chain(move.chain(), last));
        }
        return effect instanceof Effect.Return && last
                ? effect(stage.end().effect(), true)
                : effect;
    }
}
