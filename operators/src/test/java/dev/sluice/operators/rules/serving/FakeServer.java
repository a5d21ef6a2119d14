package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An engine that a test holds in its hand: builds wait until they are let go, versions that the
 * test names are refused, and small deltas are those of few rules.
 */
final class FakeServer implements RuleServer {
    /** Rules that a delta may name to be quick. */
    static final int QUICK = 5;

    /** Refused when they are built. */
    final Set<Long> unservable = ConcurrentHashMap.newKeySet();

    /** Builds take one each. */
    final Semaphore builds = new Semaphore(0);

    /** Versions whose build began, in order. */
    final List<Long> built = new ArrayList<>();

    /** Versions that were made by a delta, in order. */
    final List<Long> applied = new ArrayList<>();

    /** Versions that are not closed. */
    final AtomicInteger open = new AtomicInteger();

    /** Runs before a delta is applied, in the thread that applies it. */
    volatile Runnable beforeApply = () -> {};

    volatile boolean closed;

    private RuleSet current;

    /** A server whose builds are all let go. */
    static FakeServer free() {
        FakeServer server = new FakeServer();
        server.builds.release(1 << 20);
        return server;
    }

    @Override
    public ServedVersion load(String history, RuleSet rules) {
        synchronized (this) {
            built.add(rules.version());
        }
        builds.acquireUninterruptibly();
        if (unservable.contains(rules.version())) {
            throw new IllegalStateException("version " + rules.version() + " is too large");
        }
        synchronized (this) {
            current = rules;
            return new Version(history, rules);
        }
    }

    @Override
    public ServedVersion apply(String history, long version, RuleDelta delta) {
        beforeApply.run();
        return changed(history, version, delta);
    }

    private synchronized ServedVersion changed(String history, long version, RuleDelta delta) {
        Map<Long, Rule> rules = new LinkedHashMap<>();
        for (Rule rule : current.rules()) {
            rules.put(rule.id(), rule.onLine(LineShift.shifted(delta.shifts(), rule.line())));
        }
        for (Long id : delta.removes()) {
            if (rules.remove(id) == null) {
                throw new IllegalArgumentException("rule " + id + " is not there");
            }
        }
        delta.inserts().forEach(rule -> rules.put(rule.id(), rule));
        current =
                RuleSet.of(
                        current.name(),
                        version,
                        current.defaultAction(),
                        List.copyOf(rules.values()));
        applied.add(version);
        return new Version(history, current);
    }

    @Override
    public boolean takesQuickly(RuleDelta delta) {
        return delta.removes().size() + delta.inserts().size() <= QUICK;
    }

    @Override
    public boolean takesInPlace(RuleDelta delta) {
        return takesQuickly(delta);
    }

    @Override
    public synchronized RuleSet rules() {
        return current;
    }

    @Override
    public EngineFigures figures() {
        return EngineFigures.NONE;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** A version, which nobody looks up in. */
    final class Version extends HeldRules {
        Version(String id, RuleSet rules) {
            super(rules);
            history = id;
            open.incrementAndGet();
        }

        @Override
        public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
            throw new UnsupportedOperationException("nobody looks up here");
        }

        @Override
        protected void closed() {
            open.decrementAndGet();
        }
    }
}
