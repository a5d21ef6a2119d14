package dev.sluice.engine;

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
final class RulesInForce {
    private final Engine engine;
    private final EngineOptions options;
    private final GpuPool.@Nullable Use device;
    private final Object lock = new Object();

    /** Makes those who compile in their own thread take turns. */
    private final Object builds = new Object();

    private final Renewals renewals;
    private volatile @Nullable RuleSetVersion current;

    /** Counts what changed the content, guarded by the lock. */
    private long contents;

    private volatile boolean closed;

    RulesInForce(Engine engine, EngineOptions options, int instance, RenewalBounds bounds) {
        this.engine = engine;
        this.options = options;
        this.device = GpuPool.shared().use(options.gpu(), instance);
        this.renewals = new Renewals(engine, lock, options, device, bounds);
    }

    /** As {@link Engine#crossover}. */
    Optional<Crossover> crossover() {
        return device == null ? Optional.empty() : device.measured();
    }

    /** As {@link Engine#load}. */
    RuleSetVersion load(RuleSet rules) {
        synchronized (builds) {
            ServedBase base = ServedBase.compile(rules, options, device);
            VersionedRules fresh = fresh(base);
            synchronized (lock) {
                return putInForce(base, fresh, rules);
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
    private RuleSetVersion putInForce(ServedBase base, VersionedRules fresh, RuleSet rules) {
        if (closed) {
            base.drop();
        }
        requireNotClosed();
        contents++;
        renewals.loaded(base, current);
        return publish(
                new RuleSetVersion(
                        engine,
                        base,
                        fresh.view(),
                        rules.version(),
                        rules.name(),
                        rules.defaultAction()),
                true);
    }

    /** As {@link Engine#publish}. */
    RuleSetVersion publish(RuleSetVersion version, boolean held) {
        if (held) {
            version.retain();
        }
        RuleSetVersion before = current;
        current = version;
        if (before != null) {
            before.close();
        }
        return version;
    }

    /** As {@link Engine#apply}. */
    RuleSetVersion apply(long number, RuleDelta delta) {
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
                    return changed(before, number, delta);
                }
                before.retain();
            }
            try {
                if (waitFor != null && waitFor.awaitRemovals()) {
                    continue;
                }
                RuleSetVersion built = build(before, content, number, delta);
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
        boolean prepared = version.base().base().all() != null;
        return prepared || !version.view().versionedRules().removes(delta) ? null : version.base();
    }

    /** Makes a delta's changes; to be called with the lock held. */
    private RuleSetVersion changed(RuleSetVersion before, long number, RuleDelta delta) {
        VersionedRules rules = before.view().versionedRules();
        rules.apply(delta);
        contents++;
        renewals.note(delta);
        RuleSetVersion version =
                publish(
                        new RuleSetVersion(
                                engine,
                                before.base(),
                                rules.view(),
                                number,
                                before.name(),
                                before.defaultAction()),
                        true);
        renewals.consider();
        return version;
    }

    /** Compiles the rules that a delta makes; null if others changed them meanwhile. */
    private @Nullable RuleSetVersion build(
            RuleSetVersion before, long content, long number, RuleDelta delta) {
        synchronized (builds) {
            RuleSet rules = Content.after(before, number, delta);
            ServedBase base = ServedBase.compile(rules, options, device);
            VersionedRules fresh = fresh(base);
            synchronized (lock) {
                if (content == contents) {
                    return putInForce(base, fresh, rules);
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
                && version.view().versionedRules().refusal(delta) == null;
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
                last.base().giveUp();
                last.close();
            }
            renewals.close(
                    () -> {
                        if (device != null) {
                            device.close();
                        }
                    });
        }
    }
}
