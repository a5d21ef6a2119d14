package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.history.VersionDiff;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Engine of a part of a policy, on the CPU, counted by the versions that it serves. One thread at a
 * time changes its boxes.
 */
final class PartEngine {
    private final Engine engine;
    private final AtomicInteger users = new AtomicInteger(1);
    private List<Rule> boxes;

    /** An engine of which the caller is a user. */
    PartEngine(EngineOptions options, RuleSet boxes) {
        engine = Engine.open(boxes, options.withGpu(GpuPool.Selection.OFF));
        this.boxes = boxes.rules();
    }

    /** The change of its boxes; null: they stay. */
    private @Nullable RuleDelta change(List<Rule> after) {
        return boxes.equals(after) ? null : VersionDiff.between(boxes, after).delta();
    }

    /**
     * Tells whether it takes other boxes without compiling all.
     *
     * @param quickly within milliseconds, too
     */
    boolean takes(List<Rule> after, boolean quickly) {
        RuleDelta change = change(after);
        return change == null
                || (quickly ? engine.takesQuickly(change) : engine.takesInPlace(change));
    }

    /** Puts other boxes in force, unless that needs another engine; whether it has. */
    boolean follows(long version, List<Rule> after) {
        RuleDelta change = change(after);
        if (change == null) {
            return true;
        }
        if (!engine.takesInPlace(change)) {
            return false;
        }
        engine.apply(version, change).close();
        boxes = after;
        return true;
    }

    /** The version in force, for a user. */
    RuleSetVersion acquire() {
        return engine.acquire();
    }

    PartEngine retain() {
        users.incrementAndGet();
        return this;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            engine.close();
        }
    }
}
