package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.walk.Part;
import dev.sluice.engine.walk.Walk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Server of rule sets that may be policies of chains. Rules that stand for themselves have one
 * engine, as if this class were not there. A policy has an engine for each part of its {@link
 * Walk}, on the CPU; a version of it is made by changing the engines whose parts differ.
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

    /** The rules that a delta makes of a version. */
    private record Next(
            @Nullable PolicyVersion before, RuleDelta delta, RuleSet rules, Walk walk) {}

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
            return serve(history, rules, Walk.of(rules));
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
                made.walk);
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
                made = new Next(before, delta, rules, Walk.of(rules));
            } catch (IllegalArgumentException | UnsupportedRulesException e) {
                return false; // whoever applies it says why
            }
            next = made;
        }
        for (int i = 0; i < made.walk.parts().size(); i++) {
            PartEngine engine = engines.get(made.walk.parts().get(i));
            if (engine == null || !engine.takes(made.walk.boxes(i), quickly)) {
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

    private synchronized PolicyVersion serve(String history, RuleSet rules, Walk walk) {
        Map<Part, PartEngine> after = new HashMap<>();
        List<PartEngine> used = new ArrayList<>();
        List<RuleSetVersion> versions = new ArrayList<>();
        try {
            for (int i = 0; i < walk.parts().size(); i++) {
                Part part = walk.parts().get(i);
                PartEngine engine = follow(part, rules, walk.boxes(i));
                after.put(part, engine.retain());
                used.add(engine);
                versions.add(engine.acquire());
            }
        } catch (RuntimeException | Error e) {
            versions.forEach(RuleSetVersion::close);
            used.forEach(PartEngine::release); // and what was changed is compiled anew
            engines.values().forEach(PartEngine::release);
            engines = new HashMap<>();
            after.values().forEach(PartEngine::release);
            throw e;
        }
        engines.values().forEach(PartEngine::release);
        engines = after;
        PolicyVersion before = inForce;
        PolicyVersion version =
                new PolicyVersion(history, rules, walk, used, versions, memory, before);
        inForce = version.retain();
        next = null;
        if (before != null) {
            before.close();
        }
        return version;
    }

    /** The engine of a part, with these boxes in force; the caller is a user. */
    private PartEngine follow(Part part, RuleSet rules, List<Rule> boxes) {
        PartEngine engine = engines.get(part);
        return engine != null && engine.follows(rules.version(), boxes)
                ? engine.retain()
                : new PartEngine(
                        options, RuleSet.of(rules.name(), rules.version(), RuleSet.DROP, boxes));
    }

    private synchronized void leavePolicy() {
        PolicyVersion before = inForce;
        inForce = null;
        next = null;
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
