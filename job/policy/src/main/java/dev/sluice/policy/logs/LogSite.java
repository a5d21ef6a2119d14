package dev.sluice.policy.logs;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rule that logs, in a stage of a hook's policy.
 *
 * <p>A copy of the policy in which the rule denies tells whether a packet reaches the rule. The
 * copy is made when it is first asked, once an assumption. Not thread-safe.
 */
final class LogSite {
    /** Action of the rule in the copy. */
    private static final String REACHED = "reached";

    private final Policy policy;
    private final int stage;
    private final PolicyRule rule;
    private final LogStatement statement;

    /** The rule that decides about each packet that the rule logs, by the file; null: none. */
    private final @Nullable PolicyRule next;

    private final IdentityHashMap<Assumptions, FlatPolicy> copies = new IdentityHashMap<>();

    /** Degrees of certainty that a packet reaches the rule. */
    enum Reach {
        YES,
        MAYBE,
        NO
    }

    private LogSite(
            Policy policy,
            int stage,
            PolicyRule rule,
            LogStatement statement,
            @Nullable PolicyRule next) {
        this.policy = policy;
        this.stage = stage;
        this.rule = rule;
        this.statement = statement;
        this.next = next;
    }

    /** The rules of a policy that log, one a line and stage. */
    static List<LogSite> of(Policy policy) {
        Map<List<Object>, LogSite> sites = new LinkedHashMap<>();
        for (int stage = 0; stage < policy.stages().size(); stage++) {
            for (List<PolicyRule> chain : policy.stages().get(stage).chains().values()) {
                for (int at = 0; at < chain.size(); at++) {
                    PolicyRule rule = chain.get(at);
                    LogStatement statement = LogStatement.of(rule.origin().text());
                    if (statement != null) {
                        PolicyRule next = next(chain, at);
                        LogSite site = new LogSite(policy, stage, rule, statement, next);
                        sites.putIfAbsent(List.of(stage, rule.origin()), site);
                    }
                }
            }
        }
        return List.copyOf(sites.values());
    }

    /** The rule itself if it decides, else the one behind it if it meets the same packets. */
    private static @Nullable PolicyRule next(List<PolicyRule> chain, int at) {
        PolicyRule rule = chain.get(at);
        if (rule.effect() instanceof Effect.Decide) {
            return rule;
        }
        if (at + 1 == chain.size() || !(rule.effect() instanceof Effect.Continue)) {
            return null;
        }
        PolicyRule behind = chain.get(at + 1);
        boolean same =
                behind.condition().equals(Condition.ALWAYS)
                        || behind.condition().equals(rule.condition())
                        || behind.condition().equals(held(rule.condition()));
        return same && behind.effect() instanceof Effect.Decide ? behind : null;
    }

    /** A condition of which the log proves that it held: what no header tells held, too. */
    private static Condition held(Condition condition) {
        if (condition instanceof Condition.Unknown) {
            return Condition.ALWAYS;
        }
        if (condition instanceof Condition.All all) {
            List<Condition> known =
                    all.conditions().stream()
                            .map(LogSite::held)
                            .filter(part -> !part.equals(Condition.ALWAYS))
                            .toList();
            return Condition.all(known.toArray(new Condition[0]));
        }
        return condition;
    }

    Policy policy() {
        return policy;
    }

    int stage() {
        return stage;
    }

    PolicyRule rule() {
        return rule;
    }

    LogStatement statement() {
        return statement;
    }

    @Nullable PolicyRule next() {
        return next;
    }

    /** Returns whether the packet is where the rule is: hook, and interfaces that it has there. */
    boolean meets(LoggedPacket packet) {
        Stage of = policy.stages().get(stage);
        boolean incoming = of.vantage().incoming();
        boolean outgoing = of.vantage().outgoing();
        if (!packet.hook().isEmpty()) {
            return switch (packet.hook()) {
                case "PREROUTING" -> incoming && !outgoing;
                case "POSTROUTING" -> outgoing && !incoming;
                default -> policy.name().equalsIgnoreCase(packet.hook()) && isOwn(of);
            };
        }
        boolean in = LoggedPacket.has(packet.in(), incoming);
        boolean out = LoggedPacket.has(packet.out(), outgoing);
        boolean forward = policy.name().equalsIgnoreCase("FORWARD"); // whose packets keep theirs
        return out == outgoing && (incoming ? in : !in || forward);
    }

    /** Returns whether a stage sees as many interfaces as its policy's own hook. */
    private boolean isOwn(Stage of) {
        boolean in = !policy.name().equalsIgnoreCase("OUTPUT");
        boolean out = !policy.name().equalsIgnoreCase("INPUT");
        return of.vantage().incoming() == in && of.vantage().outgoing() == out;
    }

    /** Returns whether the rule, or the policy before it, does not follow a connection's state. */
    boolean isBeforeTracking() {
        return policy.stages().get(stage).vantage().states() != Vantage.States.TRACKED;
    }

    /** Returns whether the TTL is one less there than on the arriving packet. */
    boolean isForwarded() {
        return policy.stages().get(stage).vantage().forwarded();
    }

    /**
     * Tells whether a packet reaches the rule.
     *
     * @param assumed the same object for the same assumption
     */
    Reach reach(int[] header, Assumptions assumed) {
        FlatPolicy copy =
                copies.computeIfAbsent(assumed, one -> FlatPolicy.withoutWorlds(copy(), one));
        FlatPolicy.Answer answer = copy.judge(header);
        if (answer == null || answer.outcome() == Outcome.PERMIT) {
            return Reach.NO;
        }
        if (answer.outcome() == Outcome.DEPENDS || !answer.sure()) {
            return Reach.MAYBE;
        }
        return answer.rule().action().equals(REACHED) ? Reach.YES : Reach.NO;
    }

    private Policy copy() {
        List<Stage> stages = new ArrayList<>(policy.stages());
        Stage of = stages.get(stage);
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        of.chains().forEach((name, rules) -> chains.put(name, copy(rules)));
        stages.set(stage, of.with(chains));
        return new Policy(policy.name(), policy.judges(), stages, policy.untracked());
    }

    private List<PolicyRule> copy(List<PolicyRule> rules) {
        Origin origin = rule.origin();
        return rules.stream()
                .map(
                        one ->
                                one.origin().equals(origin)
                                        ? new PolicyRule(
                                                origin,
                                                held(one.condition()),
                                                new Effect.Decide(Outcome.DENY),
                                                REACHED)
                                        : one)
                .toList();
    }
}
