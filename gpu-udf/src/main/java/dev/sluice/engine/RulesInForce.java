package dev.sluice.engine;

import dev.sluice.engine.bases.HeldVersion;
import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.bases.Renewals;
import dev.sluice.engine.bases.ServedBase;
import dev.sluice.engine.bases.Serving;
import dev.sluice.engine.gpu.Crossover;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.versions.VersionedRules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An engine's rules: the version in force, and how another takes its place. {@link Engine} says
 * what its methods do and throw.
 *
 * <p>Thread-safe. Two locks: one is held for moments, when a version takes another's place; the
 * other makes those who compile in their own thread take turns, and is taken first.
 */
final class RulesInForce implements Renewals.InForce {
    private final EngineOptions options;
    private final Serving serving;
    private final Object lock = new Object();

    /** Makes those who compile in their own thread take turns. */
    private final Object builds = new Object();

    private final Renewals renewals;
    private volatile @Nullable RuleSetVersion current;

    /** Counts what changed the content, guarded by the lock. */
    private long contents;

    private volatile boolean closed;

    RulesInForce(EngineOptions options, int instance, RenewalBounds bounds) {
        this.options = options;
        this.serving =
                new Serving(
                        options.compile(),
                        GpuPool.shared().use(options.gpu(), instance),
                        options.offload(),
                        options.flowCacheEntries());
        this.renewals = new Renewals(this, lock, options.budgetBytes(), bounds);
    }

    /** As {@link Engine#crossover}. */
    Optional<Crossover> crossover() {
        GpuPool.Use device = serving.device();
        return device == null ? Optional.empty() : device.measured();
    }

    /** As {@link Engine#load}. */
    RuleSetVersion load(String history, RuleSet rules) {
        synchronized (builds) {
            ServedBase base = ServedBase.compile(rules, serving);
            VersionedRules fresh = fresh(base);
            synchronized (lock) {
                return putInForce(base, fresh, history, rules);
            }
        }
    }

    private VersionedRules fresh(ServedBase base) {
        try {
            VersionedRules rules = new VersionedRules(base.base(), options.budgetBytes());
            base.follow(rules);
            return rules;
        } catch (RuntimeException e) {
            base.drop();
            throw e;
        }
    }

    /** Puts a base in force of which nothing changed; to be called with the lock held. */
    private RuleSetVersion putInForce(
            ServedBase base, VersionedRules fresh, String history, RuleSet rules) {
        if (closed) {
            base.drop();
        }
        requireNotClosed();
        contents++;
        RuleSetVersion before = current;
        renewals.loaded(base, before == null ? null : before.versionedRules());
        return publish(
                        new HeldVersion(
                                base,
                                fresh,
                                history,
                                rules.version(),
                                rules.name(),
                                rules.defaultAction()))
                .retain();
    }

    /** Puts a version in force; to be called with the lock held. */
    private RuleSetVersion publish(HeldVersion held) {
        RuleSetVersion version = new RuleSetVersion(held);
        RuleSetVersion before = current;
        current = version;
        if (before != null) {
            before.close();
        }
        return version;
    }

    /** As {@link Engine#apply}. */
    RuleSetVersion apply(String history, long number, RuleDelta delta) {
        while (true) {
            RuleSetVersion before;
            ServedBase waitFor;
            long content;
            synchronized (lock) {
                requireNotClosed();
                before = current();
                content = contents;
                boolean inPlace = takesInPlace(before, delta);
                waitFor = inPlace ? missing(before, delta) : null;
                if (inPlace && waitFor == null) {
                    return changed(before, history, number, delta);
                }
                before.retain();
            }
            try {
                if (waitFor != null && waitFor.awaitRemovals()) {
                    continue;
                }
                RuleSetVersion built = build(before, content, history, number, delta);
                if (built != null) {
                    return built;
                }
            } finally {
                before.close();
            }
        }
    }

    /** The base that is not prepared for a delta's removals; null if there is none. */
    private static @Nullable ServedBase missing(RuleSetVersion version, RuleDelta delta) {
        ServedBase base = version.held().base();
        boolean prepared = base.base().all() != null;
        return prepared || !version.versionedRules().removes(delta) ? null : base;
    }

    /** Makes a delta's changes; to be called with the lock held. */
    private RuleSetVersion changed(
            RuleSetVersion before, String history, long number, RuleDelta delta) {
        VersionedRules rules = before.versionedRules();
        rules.apply(delta);
        contents++;
        renewals.note(delta);
        RuleSetVersion version =
                publish(
                                new HeldVersion(
                                        before.held().base(),
                                        rules,
                                        history,
                                        number,
                                        before.name(),
                                        before.defaultAction()))
                        .retain();
        renewals.consider();
        return version;
    }

    /** Compiles the rules that a delta makes; null if others changed them meanwhile. */
    private @Nullable RuleSetVersion build(
            RuleSetVersion before, long content, String history, long number, RuleDelta delta) {
        synchronized (builds) {
            RuleSet rules = delta.applied(before.rules(), number);
            ServedBase base = ServedBase.compile(rules, serving);
            VersionedRules fresh = fresh(base);
            synchronized (lock) {
                if (content == contents) {
                    return putInForce(base, fresh, history, rules);
                }
            }
            base.drop();
            return null;
        }
    }

    /** As {@link Engine#takesQuickly}. */
    boolean takesQuickly(RuleDelta delta) {
        synchronized (lock) {
            RuleSetVersion version = current();
            return takesInPlace(version, delta) && missing(version, delta) == null;
        }
    }

    /** As {@link Engine#takesInPlace}. */
    boolean takesInPlace(RuleDelta delta) {
        synchronized (lock) {
            return takesInPlace(current(), delta);
        }
    }

    private boolean takesInPlace(RuleSetVersion version, RuleDelta delta) {
        return version.algorithm().givesBestRule(options.tuning())
                && version.versionedRules().refusal(delta) == null;
    }

    /** The version in force; null before the first one. */
    @Nullable RuleSetVersion orNull() {
        return current;
    }

    /** As {@link Engine#current}. */
    RuleSetVersion current() {
        RuleSetVersion version = current;
        if (version == null) {
            throw new IllegalStateException("the engine has no rules; load a rule set first");
        }
        return version;
    }

    /** As {@link Engine#acquire}. */
    RuleSetVersion acquire() {
        while (true) {
            RuleSetVersion version = current();
            if (version.tryRetain()) {
                return version;
            }
            requireNotClosed();
        }
    }

    private void requireNotClosed() {
        if (closed) {
            throw new IllegalStateException("the engine is closed; open another one");
        }
    }

    /** Returns the compiler of new bases. */
    Renewals renewals() {
        return renewals;
    }

    /** As {@link Engine#close}. */
    void close() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            RuleSetVersion last = current;
            if (last != null) {
                last.held().base().giveUp();
                last.close();
            }
            GpuPool.Use device = serving.device();
            renewals.close(
                    () -> {
                        if (device != null) {
                            device.close();
                        }
                    });
        }
    }

    @Override
    public VersionedRules rules() {
        return current().versionedRules();
    }

    @Override
    public HeldVersion hold() {
        HeldVersion held = current().held();
        return held.over(held.base(), rules());
    }

    @Override
    public void replace(ServedBase base, VersionedRules rules) {
        publish(current().held().over(base, rules));
    }
}
