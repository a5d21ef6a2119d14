package dev.sluice.job.archive;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The engine of an archive's job in this process, which all its tasks here share: opened for the
 * first, closed with the last. Thread-safe.
 */
final class SharedEngine implements AutoCloseable {
    /** Engines that have users; guarded by itself. */
    private static final Map<UUID, SharedEngine> OPEN = new HashMap<>();

    private final UUID id;
    private final Engine engine;
    private final RuleSetVersion version;
    private int users; // guarded by OPEN

    private SharedEngine(UUID id, Engine engine) {
        this.id = id;
        this.engine = engine;
        this.version = engine.current();
    }

    /** The engine for these rules; the options of the first user count, as all have the same. */
    static SharedEngine acquire(ArchiveRules rules, EngineOptions options) {
        synchronized (OPEN) {
            SharedEngine shared = OPEN.get(rules.id());
            if (shared == null) {
                shared = new SharedEngine(rules.id(), Engine.open(rules.rules(), options));
                OPEN.put(rules.id(), shared);
            }
            shared.users++;
            return shared;
        }
    }

    /** Number of the rules' version. */
    long version() {
        return version.number();
    }

    /** Looks headers up. */
    void classify(HeaderBatch headers, VerdictBatch verdicts) {
        engine.submit(version, headers, verdicts).await();
    }

    /** Engines that have users; for tests. */
    static int open() {
        synchronized (OPEN) {
            return OPEN.size();
        }
    }

    /** Ends one use. */
    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users == 0) {
                OPEN.remove(id);
                engine.close();
            }
        }
    }
}
