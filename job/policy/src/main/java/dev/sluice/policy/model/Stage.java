package dev.sluice.policy.model;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stage of a policy: a walk through chains that permits or denies a packet.
 *
 * @param name name for people, such as {@code filter INPUT}
 * @param base the chain that a packet enters
 * @param chains the rules of each chain, in their order
 * @param end the rule that decides about packets that come to the end of the base chain
 * @param vantage sight of its rules on a packet
 * @param judges condition of the packets that come to the stage; others pass it unseen
 * @param before the stages before that set marks, where rules ask for what these do not leave alike
 *     to all packets; the marks of the vantage count where following them asks too much
 */
public record Stage(
        String name,
        String base,
        Map<String, List<PolicyRule>> chains,
        PolicyRule end,
        Vantage vantage,
        Condition judges,
        List<Stage> before) {
    /** A stage of packets whose marks its vantage tells. */
    public Stage(
            String name,
            String base,
            Map<String, List<PolicyRule>> chains,
            PolicyRule end,
            Vantage vantage,
            Condition judges) {
        this(name, base, chains, end, vantage, judges, List.of());
    }

    /** A stage of all packets. */
    public Stage(
            String name,
            String base,
            Map<String, List<PolicyRule>> chains,
            PolicyRule end,
            Vantage vantage) {
        this(name, base, chains, end, vantage, Condition.ALWAYS);
    }

    /**
     * Copies the chains.
     *
     * @throws IllegalArgumentException if a chain is missing or leads back to itself, or the end
     *     decides nothing
     */
    public Stage {
        Map<String, List<PolicyRule>> copy = new LinkedHashMap<>();
        chains.forEach((chain, rules) -> copy.put(chain, List.copyOf(rules)));
        chains = copy;
        before = List.copyOf(before);
        if (!(end.effect() instanceof Effect.Decide)) {
            throw new IllegalArgumentException("the end of " + name + " decides nothing");
        }
        depth(name, base, copy, new HashSet<>(), new HashMap<>());
    }

    /** Most chains that a packet can be in at once. */
    private static final int MOST_CALLS = 256;

    /** Returns the most chains that a packet is in at once, from this one on. */
    private static int depth(
            String stage,
            String chain,
            Map<String, List<PolicyRule>> chains,
            Set<String> callers,
            Map<String, Integer> known) {
        List<PolicyRule> rules = chains.get(chain);
        if (rules == null) {
            throw new IllegalArgumentException(stage + ": chain " + chain + " is missing");
        }
        if (!callers.add(chain)) {
            throw new IllegalArgumentException(
                    stage + ": chain " + chain + " leads back to itself; remove the jump");
        }
        int depth = known.getOrDefault(chain, 1);
        if (callers.size() + depth > MOST_CALLS) {
            throw new IllegalArgumentException(
                    "%s: chain %s is one of more than %d that call each other in a row; call fewer"
                            .formatted(stage, chain, MOST_CALLS));
        }
        for (PolicyRule rule : known.containsKey(chain) ? List.<PolicyRule>of() : rules) {
            String next = target(rule);
            if (next != null) {
                depth = Math.max(depth, 1 + depth(stage, next, chains, callers, known));
            }
        }
        known.put(chain, depth);
        callers.remove(chain);
        return depth;
    }

    /** The same stage of packets whose marks a sight tells. */
    public Stage with(Vantage other) {
        return new Stage(name, base, chains, end, other, judges);
    }

    /** The same stage with other chains. */
    public Stage with(Map<String, List<PolicyRule>> others) {
        return new Stage(name, base, others, end, vantage, judges, before);
    }

    /**
     * The same stage on packets whose marks were changed before.
     *
     * @param marks what is known of them
     * @param setting the stages that set them, in order
     */
    public Stage behind(MarkState marks, List<Stage> setting) {
        boolean exact = (marks.lost() | marks.ofNat()) == 0 || !asksMark();
        return new Stage(
                name,
                base,
                chains,
                end,
                vantage.marked(marks),
                judges,
                exact ? List.of() : setting);
    }

    /** Returns whether a rule sets marks. */
    public boolean setsMark() {
        return markBits() != 0;
    }

    /** The bits of marks that rules may change. */
    public int markBits() {
        return markBits(chains.values());
    }

    /** The bits of marks that rules of chains may change. */
    public static int markBits(Collection<List<PolicyRule>> chains) {
        int changed = 0;
        for (List<PolicyRule> rules : chains) {
            for (PolicyRule rule : rules) {
                if (rule.effect() instanceof Effect.Mark mark) {
                    changed |= mark.bits();
                }
            }
        }
        return changed;
    }

    /** Returns whether packets of some states alone come to it, as to a stage of nat. */
    public boolean isOfStates() {
        return Condition.has(judges, one -> one instanceof Condition.InState);
    }

    /** Returns whether some packets may be denied. */
    public boolean mayDeny() {
        return Stream.concat(Stream.of(end), chains.values().stream().flatMap(List::stream))
                .anyMatch(
                        rule ->
                                rule.effect() instanceof Effect.Decide decides
                                        && decides.outcome() != Outcome.PERMIT);
    }

    /**
     * Returns whether a rule, or what comes to the stage, asks for connection states.
     *
     * @param tracked whether connections are tracked, which tells more than states
     */
    public boolean asksState(boolean tracked) {
        return Stream.concat(conditions(), before.stream().flatMap(Stage::conditions))
                .anyMatch(one -> Tracking.isAsked(one, tracked));
    }

    /** Returns whether a rule, or what comes to the stage, asks for marks. */
    public boolean asksMark() {
        return conditions().anyMatch(MarkState::isAsked);
    }

    /** The conditions of what comes to the stage, and of its rules but the last. */
    private Stream<Condition> conditions() {
        return Stream.concat(
                Stream.of(judges),
                chains.values().stream().flatMap(List::stream).map(PolicyRule::condition));
    }

    /** The chain that a rule leads to; null: none. */
    public static @Nullable String target(PolicyRule rule) {
        if (rule.effect() instanceof Effect.Jump jump) {
            return jump.chain();
        }
        return rule.effect() instanceof Effect.Goto move ? move.chain() : null;
    }
}
