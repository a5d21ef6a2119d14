package dev.sluice.policy.kubernetes;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stage of a direction that grows, policy by policy. */
final class StageDraft {
    static final Effect PERMIT = new Effect.Decide(Outcome.PERMIT);
    static final Effect DENY = new Effect.Decide(Outcome.DENY);

    /** Fragments are judged with their datagram, whose ports a later one does not tell. */
    private static final Vantage VANTAGE =
            new Vantage(true, true, false, true, Vantage.States.TRACKED);

    final Direction direction;
    private final String file;
    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final PolicyRule end;

    StageDraft(Direction direction, String file) {
        this.direction = direction;
        this.file = file;
        chains.put(direction.field, new ArrayList<>());
        end =
                general(
                        "no policy selects the pod for " + direction.field,
                        Condition.ALWAYS,
                        PERMIT,
                        "allow");
    }

    /** A rule of Kubernetes itself, which stands in no file. */
    final PolicyRule general(String text, Condition condition, Effect effect, String action) {
        return rule(new YamlPosition(file, 0, 1), direction.field, text, condition, effect, action);
    }

    /** A rule of a policy, whose words stand behind the name of its chain. */
    static PolicyRule worded(
            YamlFields rule, String chain, Condition condition, Effect effect, String action) {
        return rule(rule.at(), chain, chain + ": " + rule.words(), condition, effect, action);
    }

    /** A rule of a policy. */
    static PolicyRule rule(
            YamlPosition at,
            String chain,
            String text,
            Condition condition,
            Effect effect,
            String action) {
        Origin origin = new Origin(at.file(), at.line(), chain, "", text, null);
        return new PolicyRule(origin, condition, effect, action);
    }

    /** Adds a rule to the base chain. */
    void add(PolicyRule rule) {
        add(direction.field, List.of(rule));
    }

    /** Adds rules to a chain, which is there even without rules. */
    void add(String chain, List<PolicyRule> rules) {
        chains.computeIfAbsent(chain, none -> new ArrayList<>()).addAll(rules);
    }

    /** Adds rules to a chain that make packets depend on something that nobody knows of. */
    void addUnclear(String chain, Manifest manifest, Condition unknown) {
        String text =
                chain.equals(direction.field)
                        ? manifest.words()
                        : manifest.words() + " in " + chain;
        add(
                chain,
                List.of(
                        rule(manifest.at(), manifest.path(), text, unknown, PERMIT, "allow"),
                        rule(manifest.at(), manifest.path(), text, unknown, DENY, "deny")));
    }

    /** The rule at the stage's end. */
    PolicyRule end() {
        return end;
    }

    Stage stage() {
        return new Stage(direction.field, direction.field, chains, end, VANTAGE);
    }
}
