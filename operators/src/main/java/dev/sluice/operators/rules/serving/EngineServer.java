package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineFigures;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;

/** An engine that serves versions of the rules. */
public final class EngineServer implements RuleServer {
    private final Engine engine;

    /**
     * Opens the engine, and the device that it may use.
     *
     * @param instance number of this engine among those that may share devices
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     */
    public EngineServer(EngineOptions options, int instance) {
        engine = Engine.open(options, instance);
    }

    @Override
    public ServedVersion load(String history, RuleSet rules) {
        return new EngineVersion(history, engine, engine.load(rules));
    }

    @Override
    public ServedVersion apply(String history, long version, RuleDelta delta) {
        return new EngineVersion(history, engine, engine.apply(version, delta));
    }

    @Override
    public boolean takesQuickly(RuleDelta delta) {
        return engine.takesQuickly(delta);
    }

    @Override
    public boolean takesInPlace(RuleDelta delta) {
        return engine.takesInPlace(delta);
    }

    @Override
    public RuleSet rules() {
        try (RuleSetVersion current = engine.acquire()) {
            return current.rules();
        }
    }

    @Override
    public EngineFigures figures() {
        return engine.figures();
    }

    @Override
    public void close() {
        engine.close();
    }
}
