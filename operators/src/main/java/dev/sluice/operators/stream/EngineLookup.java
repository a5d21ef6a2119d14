package dev.sluice.operators.stream;

import dev.sluice.engine.Engine;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One version of an engine's rules. */
public final class EngineLookup implements RuleSetLookup {
    private final Engine engine;
    private final RuleSetVersion version;
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * A version with one user.
     *
     * @param engine the version's engine, open for longer than the version
     * @param version open until this is closed
     */
    public EngineLookup(Engine engine, RuleSetVersion version) {
        this.engine = engine;
        this.version = version;
    }

    @Override
    public long version() {
        return version.rules().version();
    }

    @Override
    public String defaultAction() {
        return version.rules().defaultAction();
    }

    @Override
    public HeaderLayout layout() {
        return version.layout();
    }

    @Override
    public int slots() {
        return version.rules().size();
    }

    @Override
    public long ruleId(int verdict) {
        return rule(verdict).id();
    }

    @Override
    public Rule rule(int verdict) {
        return version.rules().rules().get(verdict);
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        return engine.stage(version, headers);
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return engine.submit(version, headers, verdicts);
    }

    @Override
    public void rest() {
        engine.rest();
    }

    @Override
    public void retain() {
        users.incrementAndGet();
    }

    @Override
    public void close() {
        if (users.decrementAndGet() == 0) {
            version.close();
        }
    }

    @Override
    public String toString() {
        return "version %d of '%s', %,d rules; %s"
                .formatted(
                        version(),
                        version.rules().name(),
                        version.rules().size(),
                        version.explanation());
    }
}
