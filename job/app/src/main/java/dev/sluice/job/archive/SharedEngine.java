package dev.sluice.job.archive;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.serving.PolicyServer;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Engine of an archive's job, shared by all its tasks in this process. The first task opens it, and
 * the last closes it. Thread-safe.
 */
final class SharedEngine implements AutoCloseable {
    /** Engines in use; guarded by itself. */
    private static final Map<UUID, SharedEngine> OPEN = new HashMap<>();

    private final UUID id;
    private final RuleServer server;
    private final ServedVersion version;
    private int users; // guarded by OPEN

    private SharedEngine(UUID id, RuleSet rules, EngineOptions options) {
        this.id = id;
        server = PolicyServer.open(options, 0);
        try {
            version = server.load("", rules);
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /**
     * Returns the engine for these rules. The options of the first user apply, since all users have
     * the same.
     */
    static SharedEngine acquire(ArchiveRules rules, EngineOptions options) {
        synchronized (OPEN) {
            SharedEngine shared =
                    OPEN.computeIfAbsent(
                            rules.id(), id -> new SharedEngine(id, rules.rules(), options));
            shared.users++;
            return shared;
        }
    }

    /** Returns the number of the rules' version. */
    long version() {
        return version.version();
    }

    /** Classifies headers. */
    void classify(HeaderBatch headers, VerdictBatch verdicts) {
        version.submit(headers, verdicts).await();
    }

    /** Returns the number of engines in use; for tests. */
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
                version.close();
                server.close();
            }
        }
    }
}
