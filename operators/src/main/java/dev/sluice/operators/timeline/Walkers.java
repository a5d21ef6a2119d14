package dev.sluice.operators.timeline;

import dev.sluice.engine.Engine;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the versions of a history for look-ups, any of them at any time, with a few engines. Each
 * engine walks along the history: what a version changes is applied to the one before. So packets
 * that come in about the order of their times are judged without a build; where their times lie far
 * apart, as those of several captures, each engine walks at another place. A version that no engine
 * can walk to is built.
 *
 * <p>A version that replaces the rules, or changes many of them, can be served if it compiles; one
 * that changes few can be served if the one before can, or if it compiles. In the place of a
 * version that cannot be served stands the last before it that can. That depends on the history and
 * the engine's options alone: which engine answers, and what was asked for before, makes no
 * difference.
 *
 * <p>Thread-safe. {@link #acquire} does not wait for a build.
 */
public final class Walkers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Walkers.class);

    /** Most changes of a version that is not compiled by itself. */
    private static final int FEW_CHANGES = 1_000;

    /** Most changes that a caller of {@link #acquire} applies by itself: some milliseconds. */
    private static final int MOST_AT_ONCE = 5_000;

    /** Versions behind an engine's place that are kept ready. */
    private static final int KEPT = 256;

    /** Hears of versions that cannot be served; called without locks, once a version. */
    public interface RefusalListener {
        /** A version cannot be served. */
        void refused(int index, RuntimeException reason);
    }

    private final Supplier<Engine> engines;
    private final VersionHistory history;
    private final int most;
    private final Executor builder;
    private final RefusalListener refusals;

    // Guarded by this.
    private final List<Walker> walkers = new ArrayList<>();
    private final BitSet refused = new BitSet();
    private final Map<Integer, List<Runnable>> asked = new TreeMap<>();
    private boolean building;
    private boolean closed;
    private long clock;

    /** An engine and the versions that it has ready. Guarded by the walkers. */
    private static final class Walker {
        final Engine engine;

        /** The version that the engine has in force; -1: none yet. */
        int place = -1;

        /** Whether a build is about to move the engine elsewhere. */
        boolean moving;

        long lastUsed;
        final TreeMap<Integer, RuleSetVersion> ready = new TreeMap<>();

        Walker(Engine engine) {
            this.engine = engine;
        }
    }

    /**
     * Walkers along a history.
     *
     * @param engines opens an engine without rules
     * @param most engines at a time, at least 1
     * @param builder runs builds, one at a time; not the thread that acquires
     */
    public Walkers(
            Supplier<Engine> engines,
            VersionHistory history,
            int most,
            Executor builder,
            RefusalListener refusals) {
        this.engines = engines;
        this.history = history;
        this.most = most;
        this.builder = builder;
        this.refusals = refusals;
    }

    /**
     * A version that judges in the place of one that was asked for: itself where it can be served.
     *
     * @param index of the version asked for, at least 0
     * @param whenBuilt run by the builder when it is worth asking again, if null is returned
     * @return null if the version has to be built first
     * @throws IllegalStateException if the walkers are closed
     */
    public @Nullable ServedVersion acquire(int index, Runnable whenBuilt) {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the versions of the history are closed");
            }
            int target = servable(index);
            if (target < 0) {
                return new ServedVersion(Timeline.NO_RULES, null);
            }
            RuleSetVersion there = ready(target);
            if (there == null) {
                there = walk(target);
            }
            if (there != null) {
                return new ServedVersion(target, there.retain());
            }
            asked.computeIfAbsent(target, k -> new ArrayList<>()).add(whenBuilt);
            if (building) {
                return null;
            }
            building = true;
        }
        builder.execute(this::buildAll);
        return null;
    }

    /** The version itself, or the last before it that was not refused. */
    private int servable(int index) {
        return refused.previousClearBit(index);
    }

    private @Nullable RuleSetVersion ready(int target) {
        for (Walker walker : walkers) {
            RuleSetVersion version = walker.ready.get(target);
            if (version != null) {
                walker.lastUsed = ++clock;
                return version;
            }
        }
        return null;
    }

    /** Walks the nearest engine behind a version up to it, where that takes some milliseconds. */
    private @Nullable RuleSetVersion walk(int target) {
        Walker nearest = null;
        for (Walker walker : walkers) {
            if (!walker.moving
                    && walker.place < target
                    && (nearest == null || walker.place > nearest.place)) {
                nearest = walker;
            }
        }
        if (nearest == null) {
            return null;
        }
        int changes = 0;
        for (int i = nearest.place + 1; i <= target; i++) {
            RuleDelta change = few(i);
            if (change == null || refused.get(i - 1) || !nearest.engine.takesQuickly(change)) {
                return null;
            }
            changes += changes(change);
            if (changes > MOST_AT_ONCE) {
                return null;
            }
        }
        nearest.lastUsed = ++clock;
        return walk(nearest, target);
    }

    private RuleSetVersion walk(Walker walker, int target) {
        RuleSetVersion version = null;
        for (int i = walker.place + 1; i <= target; i++) {
            RuleDelta change = few(i);
            if (change == null) {
                throw new IllegalStateException("version " + i + " does not follow by few changes");
            }
            version = walker.engine.apply(history.number(i), change);
            keep(walker, i, version);
        }
        if (version == null) {
            throw new IllegalStateException(
                    "no way from version " + walker.place + " to " + target);
        }
        return version;
    }

    private static void keep(Walker walker, int index, RuleSetVersion version) {
        walker.place = index;
        walker.ready.put(index, version);
        while (walker.ready.size() > KEPT) {
            walker.ready.pollFirstEntry().getValue().close();
        }
    }

    /** What a version changes, if it does not have to compile by itself; else null. */
    private @Nullable RuleDelta few(int index) {
        RuleDelta change = history.change(index);
        return change == null || changes(change) > FEW_CHANGES ? null : change;
    }

    private static int changes(RuleDelta delta) {
        return delta.removes().size() + delta.inserts().size();
    }

    private void buildAll() {
        while (true) {
            int target;
            boolean needed;
            synchronized (this) {
                if (asked.isEmpty() || closed) {
                    building = false;
                    return;
                }
                target = asked.keySet().iterator().next();
                needed = !refused.get(target) && ready(target) == null;
            }
            Walker walker = needed ? toMove() : null;
            if (walker != null) {
                build(target, walker);
            }
            List<Runnable> waiting;
            synchronized (this) {
                if (walker != null) {
                    walker.moving = false;
                }
                waiting = asked.remove(target);
            }
            if (waiting != null) {
                waiting.forEach(Runnable::run);
            }
        }
    }

    /** An engine that may go elsewhere: a new one, or the one that was used longest ago. */
    private Walker toMove() {
        synchronized (this) {
            if (walkers.size() == most) {
                Walker oldest = walkers.get(0);
                for (Walker walker : walkers) {
                    oldest = walker.lastUsed < oldest.lastUsed ? walker : oldest;
                }
                return move(oldest);
            }
        }
        Walker fresh = new Walker(engines.get()); // opens a device, perhaps: not under the lock
        synchronized (this) {
            walkers.add(fresh);
            return move(fresh);
        }
    }

    private Walker move(Walker walker) {
        walker.moving = true;
        walker.lastUsed = ++clock;
        return walker;
    }

    /** Brings an engine to a version, or notes that it cannot be served. */
    private void build(int target, Walker walker) {
        RuntimeException reason = load(walker, target);
        if (reason == null) {
            return;
        }
        // It may still ride on the version before: forward from the last one that must compile.
        int first = target;
        while (first > 0 && few(first) != null) {
            first--;
        }
        boolean served = false;
        for (int i = first; i < target; i++) {
            boolean known;
            synchronized (this) {
                known = refused.get(i);
            }
            if (served) {
                RuleDelta change = few(i);
                if (change == null) {
                    throw new IllegalStateException("version " + i + " must compile by itself");
                }
                ride(walker, i, change);
            } else if (!known) {
                RuntimeException why = load(walker, i);
                served = why == null;
                if (why != null) {
                    refuse(i, why);
                }
            }
        }
        RuleDelta last = few(target);
        if (served && last != null) {
            ride(walker, target, last);
        } else {
            refuse(target, reason);
        }
    }

    private void ride(Walker walker, int index, RuleDelta change) {
        RuleSetVersion version = walker.engine.apply(history.number(index), change);
        synchronized (this) {
            keep(walker, index, version);
        }
    }

    private @Nullable RuntimeException load(Walker walker, int index) {
        try {
            RuleSetVersion version = walker.engine.load(history.rules(index));
            synchronized (this) {
                walker.ready.values().forEach(RuleSetVersion::close);
                walker.ready.clear();
                keep(walker, index, version);
            }
            return null;
        } catch (MemoryBudgetException | UnsupportedRulesException e) {
            return e;
        }
    }

    private void refuse(int index, RuntimeException reason) {
        boolean first;
        synchronized (this) {
            first = !refused.get(index);
            refused.set(index);
        }
        if (first) {
            LOG.warn(
                    "version {} of the rules cannot be served: {}; the one before stays in force",
                    history.number(index),
                    reason.getMessage());
            refusals.refused(index, reason);
        }
    }

    /** Closes all engines. No version of them may be in use any more, and no build be running. */
    @Override
    public void close() {
        List<Walker> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(walkers);
            walkers.clear();
        }
        for (Walker walker : all) {
            walker.ready.values().forEach(RuleSetVersion::close);
            walker.ready.clear();
            walker.engine.close();
        }
    }
}
