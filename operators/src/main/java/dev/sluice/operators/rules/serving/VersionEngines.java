package dev.sluice.operators.rules.serving;

import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the versions of a history for look-ups, any of them at any time, with a few engines. Each
 * engine goes along the history: the changes of a version are applied to the one before. So packets
 * in about the order of their times need no build; where their times lie far apart, as those of
 * several captures, each engine is at another place. A version that no engine can go to is built.
 *
 * <p>A version without a {@link RecordedHistory#change} can be served if it compiles; any other can
 * be served if the one before can, or if it compiles. In the place of a version that cannot be
 * served stands the last before it that can. That depends on the history and the engine's options
 * alone: which engine answers, and what was asked for before, makes no difference.
 *
 * <p>Thread-safe. {@link #acquire} does not wait for a build.
 */
public final class VersionEngines implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VersionEngines.class);

    /** Most changes that a caller of {@link #acquire} applies by itself: some milliseconds. */
    private static final int MOST_AT_ONCE = 5_000;

    /** Most changes that the builder applies rather than compile the rules. */
    private static final int MOST_BEHIND = 20_000;

    /** Versions behind an engine's place that are kept ready. */
    private static final int KEPT = 256;

    /**
     * A version that is ready for look-ups.
     *
     * @param index its index in the history; {@link Timeline#NO_RULES} where neither the version
     *     asked for nor one before it can be served, {@link Timeline#HISTORY_DELETED} where it is
     *     forgotten
     * @param version retained for who asked, to be closed by it; null where none can be served
     */
    public record Found(int index, @Nullable ServedVersion version) {}

    /** Hears of versions that cannot be served; called without locks, once a version. */
    public interface RefusalListener {
        /** A version cannot be served. */
        void refused(int index, RuntimeException reason);
    }

    private final Supplier<RuleServer> opener;
    private final RecordedHistory history;
    private final int most;
    private final Executor builder;
    private final RefusalListener refusals;

    // Guarded by this.
    private final List<PlacedEngine> engines = new ArrayList<>();
    private final BitSet refused = new BitSet();
    private final BitSet served = new BitSet(); // versions that were ever made ready

    /** Index of the first version that is not forgotten. */
    private int firstKept;

    private final TreeMap<Integer, List<Runnable>> asked = new TreeMap<>();
    private boolean building;
    private boolean closed;
    private @Nullable Throwable failure;
    private long clock;

    /** An engine and the versions that it has ready. Guarded by this class's lock. */
    private static final class PlacedEngine {
        final RuleServer server;

        /** The version that the engine has in force; -1: none yet. */
        int place = -1;

        /** True if the builder moves the engine. */
        boolean moving;

        long lastUsed;
        final TreeMap<Integer, ServedVersion> ready = new TreeMap<>();

        PlacedEngine(RuleServer server) {
            this.server = server;
        }
    }

    /**
     * Engines for a history.
     *
     * @param opener opens an engine without rules
     * @param most engines at a time, at least 1
     * @param builder runs builds, one at a time; not the thread that acquires
     */
    public VersionEngines(
            Supplier<RuleServer> opener,
            RecordedHistory history,
            int most,
            Executor builder,
            RefusalListener refusals) {
        this.opener = opener;
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
     * @throws IllegalStateException if the engines are closed, or a build failed for another reason
     *     than the rules; the task is to fail
     */
    public @Nullable Found acquire(int index, Runnable whenBuilt) {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the versions of the history are closed");
            }
            if (failure != null) {
                throw new IllegalStateException(
                        "the versions of the history cannot be served", failure);
            }
            int target = servable(index);
            if (target < 0) {
                return new Found(Timeline.NO_RULES, null);
            }
            if (target < firstKept) {
                return new Found(Timeline.HISTORY_DELETED, null);
            }
            ServedVersion there = ready(target);
            if (there == null) {
                there = advance(target);
            }
            if (there != null) {
                there.retain();
                return new Found(target, there);
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

    /**
     * Has versions never stand in the place of others: those of another history took their times.
     *
     * @param from index of the first of them
     * @param end index behind the last
     */
    public synchronized void passOver(int from, int end) {
        refused.set(from, end);
    }

    /** Tells whether a version was ever made ready, so that it can stand in the place of others. */
    synchronized boolean hasServed(int index) {
        return served.get(index) && !refused.get(index);
    }

    /**
     * Drops versions when no build is under way that may need them; later, by the builder.
     *
     * @param before index behind the last of them; who still asks for one is told so
     * @param drop drops them from the history
     */
    void forget(int before, Runnable drop) {
        builder.execute(
                () -> {
                    synchronized (this) {
                        firstKept = Math.max(firstKept, before);
                        drop.run();
                    }
                });
    }

    /** The version itself, or the last before it that was not refused. */
    private int servable(int index) {
        return refused.previousClearBit(index);
    }

    private @Nullable ServedVersion ready(int target) {
        for (PlacedEngine engine : engines) {
            ServedVersion version = engine.ready.get(target);
            if (version != null) {
                engine.lastUsed = ++clock;
                return version;
            }
        }
        return null;
    }

    /** Brings the nearest engine behind a version up to it, where that takes some milliseconds. */
    private @Nullable ServedVersion advance(int target) {
        PlacedEngine nearest = nearest(target, MOST_AT_ONCE);
        if (nearest == null) {
            return null;
        }
        nearest.lastUsed = ++clock;
        ServedVersion reached = null;
        while (nearest.place < target) {
            RuleDelta change = changeOf(nearest.place + 1);
            if (!nearest.server.takesQuickly(change)) {
                return null;
            }
            reached = step(nearest, change);
        }
        return reached;
    }

    /** The nearest engine that so many changes at most bring to a version; null if none is. */
    private @Nullable PlacedEngine nearest(int target, int mostChanges) {
        PlacedEngine nearest = null;
        for (PlacedEngine engine : engines) {
            boolean behind = !engine.moving && engine.place >= 0 && engine.place < target;
            if (behind && (nearest == null || engine.place > nearest.place)) {
                nearest = engine;
            }
        }
        if (nearest == null) {
            return null;
        }
        int changes = 0;
        for (int i = nearest.place + 1; i <= target; i++) {
            RuleDelta change = history.change(i);
            if (change == null) {
                return null;
            }
            changes += 1 + change.removes().size() + change.inserts().size();
            if (changes > mostChanges) {
                return null;
            }
        }
        return nearest;
    }

    private RuleDelta changeOf(int index) {
        RuleDelta change = history.change(index);
        if (change == null) {
            throw new IllegalStateException("version " + index + " must be compiled by itself");
        }
        return change;
    }

    /** Brings an engine to the next version. */
    private ServedVersion step(PlacedEngine engine, RuleDelta change) {
        int next = engine.place + 1;
        ServedVersion version =
                engine.server.apply(history.history(next), history.number(next), change);
        keep(engine, next, version);
        return version;
    }

    private synchronized void keep(PlacedEngine engine, int index, ServedVersion version) {
        engine.place = index;
        served.set(index);
        engine.ready.put(index, version);
        while (engine.ready.size() > KEPT) {
            engine.ready.pollFirstEntry().getValue().close();
        }
    }

    /** Does all that is asked for, the oldest version first; in the builder. */
    private void buildAll() {
        while (true) {
            int target;
            boolean usable;
            synchronized (this) {
                if (asked.isEmpty()) {
                    building = false;
                    return;
                }
                target = asked.firstKey();
                usable = !closed && failure == null;
            }
            if (usable) {
                try {
                    provide(target);
                } catch (RuntimeException | Error e) {
                    LOG.error("version {} of the rules cannot be built", history.number(target), e);
                    synchronized (this) {
                        failure = e;
                    }
                }
            }
            List<Runnable> waiting;
            synchronized (this) {
                waiting = asked.remove(target);
            }
            if (waiting != null) {
                waiting.forEach(Runnable::run);
            }
        }
    }

    /** Makes a version ready, or notes that it cannot be served. */
    private void provide(int target) {
        PlacedEngine engine;
        synchronized (this) {
            if (target < firstKept || refused.get(target) || ready(target) != null) {
                return;
            }
            engine = nearest(target, MOST_BEHIND);
            if (engine != null) {
                move(engine);
            }
        }
        if (engine == null || !advanceTo(engine, target)) {
            if (engine == null) {
                engine = toMove();
            }
            build(engine, target);
        }
        synchronized (this) {
            engine.moving = false;
        }
    }

    /** Brings an engine to a version by changes, waiting for what these need; whether it could. */
    private boolean advanceTo(PlacedEngine engine, int target) {
        try {
            while (engine.place < target) {
                step(engine, changeOf(engine.place + 1));
            }
            return true;
        } catch (MemoryBudgetException | UnsupportedRulesException e) {
            LOG.debug("version {} is compiled anew", history.number(engine.place + 1), e);
            return false;
        }
    }

    /** An engine that may go elsewhere: a new one, or the one that was used longest ago. */
    private PlacedEngine toMove() {
        synchronized (this) {
            if (engines.size() == most) {
                PlacedEngine oldest = engines.get(0);
                for (PlacedEngine engine : engines) {
                    oldest = engine.lastUsed < oldest.lastUsed ? engine : oldest;
                }
                move(oldest);
                return oldest;
            }
        }
        PlacedEngine fresh = new PlacedEngine(opener.get()); // may open a device: without lock
        synchronized (this) {
            engines.add(fresh);
            move(fresh);
        }
        return fresh;
    }

    private void move(PlacedEngine engine) {
        engine.moving = true;
        engine.lastUsed = ++clock;
    }

    /** Compiles a version, or notes that it cannot be served. */
    private void build(PlacedEngine engine, int target) {
        RuntimeException reason = load(engine, target);
        if (reason == null) {
            return;
        }
        // It may still be served if the one before is: forward from the last that must compile.
        int first = target;
        while (history.change(first) != null) {
            first--;
        }
        boolean served = false;
        for (int i = first; i < target; i++) {
            if (served) {
                served = advanceTo(engine, i);
            } else if (!isRefused(i)) {
                served = compiles(engine, i);
            }
        }
        if (!served || !advanceTo(engine, target)) {
            refuse(target, reason);
        }
    }

    private synchronized boolean isRefused(int index) {
        return refused.get(index);
    }

    private boolean compiles(PlacedEngine engine, int index) {
        RuntimeException reason = load(engine, index);
        if (reason != null) {
            refuse(index, reason);
        }
        return reason == null;
    }

    /** Compiles a version in the place of what an engine has; returns why it could not. */
    private @Nullable RuntimeException load(PlacedEngine engine, int index) {
        ServedVersion version;
        try {
            version = engine.server.load(history.history(index), history.rules(index));
        } catch (MemoryBudgetException | UnsupportedRulesException e) {
            return e;
        }
        synchronized (this) {
            engine.ready.values().forEach(ServedVersion::close);
            engine.ready.clear();
            keep(engine, index, version);
        }
        return null;
    }

    private void refuse(int index, RuntimeException reason) {
        synchronized (this) {
            if (refused.get(index)) {
                return;
            }
            refused.set(index);
        }
        refusals.refused(index, reason);
    }

    /** Closes all engines. No version of them may be in use any more, and no build be running. */
    @Override
    public void close() {
        List<PlacedEngine> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(engines);
            engines.clear();
        }
        for (PlacedEngine engine : all) {
            engine.ready.values().forEach(ServedVersion::close);
            engine.ready.clear();
            engine.server.close();
        }
    }
}
