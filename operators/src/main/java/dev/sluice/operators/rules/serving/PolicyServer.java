package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.walk.Part;
import dev.sluice.engine.walk.Walk;
import dev.sluice.engine.walk.WholeList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Server of rule sets that may be policies of chains. Rules that stand for themselves have one
 * engine, as if this class were not there. A policy has an engine for its {@link WholeList}, on the
 * CPU, or where that is too large for each part of its {@link Walk}; a version of it is made by
 * changing the engines whose parts differ.
 */
public final class PolicyServer implements RuleServer {
    /** Rules of a policy up to which its next version is worked out in milliseconds. */
    private static final int MOST_QUICK = 5_000;

    private final EngineOptions options;
    private final Engine plain;
    private final ConcurrentLinkedQueue<PolicyVersion.Memory> memory =
            new ConcurrentLinkedQueue<>();

    /** Engines of the policy in force; guarded by this. */
    private Map<Part, PartEngine> engines = new HashMap<>();

    /** The policy in force; null: rules that stand for themselves are. */
    private volatile @Nullable PolicyVersion inForce;

    /** Result of the last {@link #takesQuickly}; guarded by this. */
    private @Nullable Next next;

    /** True if no list serves the whole policy in force; guarded by this. */
    private boolean walks;

    /** The rules that a delta makes of a version. */
    private record Next(
            @Nullable PolicyVersion before,
            RuleDelta delta,
            RuleSet rules,
            Walk walk,
            LookUps lookUps) {}

    private PolicyServer(EngineOptions options, int instance) {
        this.options = options;
        plain = Engine.open(options, instance);
    }

    /**
     * A server without rules so far. The device that it may use is opened now.
     *
     * @param instance as that of {@link Engine#open(EngineOptions, int)}
     */
    public static PolicyServer open(EngineOptions options, int instance) {
        return new PolicyServer(options, instance);
    }

    @Override
    public ServedVersion load(String history, RuleSet rules) {
        if (rules.isPolicy()) {
            synchronized (this) {
                walks = false;
            }
            Walk walk = Walk.of(rules);
            return serve(history, rules, walk, lookUps(walk));
        }
        ServedVersion version = plain.load(history, rules);
        leavePolicy();
        return version;
    }

    @Override
    public ServedVersion apply(String history, long version, RuleDelta delta) {
        if (isPlain(delta)) {
            return plain.apply(history, version, delta);
        }
        Next made = made(delta);
        if (made == null) {
            return load(history, delta.applied(rules(), version));
        }
        RuleSet rules = made.rules;
        return serve(
                history,
                new RuleSet(
                        rules.name(),
                        version,
                        rules.defaultAction(),
                        rules.rules(),
                        rules.layout()),
                made.walk,
                made.lookUps);
    }

    /** Returns whether neither the rules in force nor those of a delta are a policy. */
    private boolean isPlain(RuleDelta delta) {
        return inForce == null && delta.inserts().stream().allMatch(rule -> rule.step() == null);
    }

    @Override
    public boolean takesQuickly(RuleDelta delta) {
        return isPlain(delta) ? plain.takesQuickly(delta) : takes(delta, true);
    }

    @Override
    public boolean takesInPlace(RuleDelta delta) {
        return isPlain(delta) ? plain.takesInPlace(delta) : takes(delta, false);
    }

    private synchronized boolean takes(RuleDelta delta, boolean quickly) {
        PolicyVersion before = inForce;
        if (before == null || before.ruleSet().size() > MOST_QUICK) {
            return false;
        }
        Next made = made(delta);
        if (made == null) {
            try {
                RuleSet rules = delta.applied(before.ruleSet(), 0);
                if (!rules.isPolicy()) {
                    return false;
                }
                Walk walk = Walk.of(rules);
                made = new Next(before, delta, rules, walk, lookUps(walk));
            } catch (IllegalArgumentException | UnsupportedRulesException e) {
                return false; // whoever applies it says why
            }
            next = made;
        }
        for (int i = 0; i < made.lookUps.parts().size(); i++) {
            PartEngine engine = engines.get(made.lookUps.parts().get(i));
            if (engine == null || !engine.takes(made.lookUps.boxes().get(i), quickly)) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // the very delta that was asked about, of the very rules
    private synchronized @Nullable Next made(RuleDelta delta) {
        Next made = next;
        return made != null && made.delta == delta && made.before == inForce ? made : null;
    }

    private synchronized LookUps lookUps(Walk walk) {
        WholeList whole = walks ? null : WholeList.of(walk);
        if (whole == null) {
            walks = true;
            return LookUps.walking(walk);
        }
        PartEngine engine = engines.get(Part.WHOLE);
        return LookUps.of(
                walk, whole, engine == null ? whole.boxes() : engine.placed(whole.boxes()));
    }

    private synchronized PolicyVersion serve(
            String history, RuleSet rules, Walk walk, LookUps lookUps) {
        try {
            return put(history, rules, walk, lookUps);
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            if (lookUps.whole() == null) {
                throw e;
            }
            walks = true;
            return put(history, rules, walk, LookUps.walking(walk)); // by lists that are smaller
        }
    }

    private PolicyVersion put(String history, RuleSet rules, Walk walk, LookUps lookUps) {
        Map<Part, PartEngine> after = new HashMap<>();
        PartEngine[] used = new PartEngine[lookUps.parts().size()];
        List<RuleSetVersion> versions = new ArrayList<>();
        try {
            follow(rules, lookUps, used);
            for (int i = 0; i < used.length; i++) {
                after.put(lookUps.parts().get(i), used[i].retain());
                versions.add(used[i].acquire());
            }
        } catch (RuntimeException | Error e) {
            versions.forEach(RuleSetVersion::close);
            // And what was changed is compiled anew.
            Arrays.stream(used).filter(Objects::nonNull).forEach(PartEngine::release);
            engines.values().forEach(PartEngine::release);
            engines = new HashMap<>();
            after.values().forEach(PartEngine::release);
            throw e;
        }
        engines.values().forEach(PartEngine::release);
        engines = after;
        PolicyVersion before = inForce;
        PolicyVersion version =
                new PolicyVersion(
                        history, rules, walk, lookUps, List.of(used), versions, memory, before);
        inForce = version.retain();
        next = null;
        if (before != null) {
            before.close();
        }
        return version;
    }

    /** Finds or compiles the engines of parts; the caller is a user of each. */
    private void follow(RuleSet rules, LookUps lookUps, PartEngine[] used) {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        IntPredicate large = i -> PartEngine.isLarge(lookUps.boxes().get(i));
        Queue<Integer> alone = new ConcurrentLinkedQueue<>();
        IntStream.range(0, used.length).filter(large).forEach(alone::add);
        IntStream.range(0, used.length)
                .filter(large.negate())
                .parallel()
                .forEach(
                        i -> {
                            try {
                                used[i] = follow(i, rules, lookUps, false);
                            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                                if (lookUps.parts().get(i).equals(Part.WHOLE)) {
                                    failures.add(e);
                                } else {
                                    alone.add(i);
                                }
                            } catch (RuntimeException | Error e) {
                                failures.add(e); // thrown once no other one is under way
                            }
                        });
        for (int i : failures.isEmpty() ? alone : List.<Integer>of()) { // each may take all memory
            used[i] = follow(i, rules, lookUps, true);
        }
        Throwable failure = failures.peek();
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException refusal) {
            throw refusal;
        }
    }

    /** The engine of a part, with these boxes in force; the caller is a user. */
    private PartEngine follow(int index, RuleSet rules, LookUps lookUps, boolean alone) {
        Part part = lookUps.parts().get(index);
        List<Rule> boxes = lookUps.boxes().get(index);
        PartEngine engine = engines.get(part);
        return engine != null && engine.follows(rules.version(), boxes)
                ? engine.retain()
                : new PartEngine(
                        options,
                        RuleSet.of(rules.name(), rules.version(), RuleSet.DROP, boxes),
                        part.equals(Part.WHOLE),
                        alone);
    }

    private synchronized void leavePolicy() {
        PolicyVersion before = inForce;
        inForce = null;
        next = null;
        walks = false;
        engines.values().forEach(PartEngine::release);
        engines = new HashMap<>();
        if (before != null) {
            before.close();
        }
    }

    @Override
    public RuleSet rules() {
        PolicyVersion policy = inForce;
        return policy == null ? plain.rules() : policy.ruleSet();
    }

    /** {@inheritDoc} A policy has none. */
    @Override
    public EngineFigures figures() {
        return inForce == null ? plain.figures() : EngineFigures.NONE;
    }

    @Override
    public void close() {
        leavePolicy();
        plain.close();
    }
}
