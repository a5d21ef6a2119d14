package dev.sluice.operators.rules.serving;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine of a part of a policy, on the CPU, counted by the versions that it serves. One thread at a
 * time changes its boxes.
 */
final class PartEngine {
    /** Boxes below which the engine chooses: it takes its loop over all of them. */
    private static final int FEW = 3;

    /** Boxes above which a part is large. */
    private static final int MANY = 4_096;

    /** Algorithm whose images are small, so that those of many parts share a core's caches. */
    private static final Algorithm SMALL = Algorithm.of("bitmap-rfc");

    /** Most bytes of its image and of what it holds meanwhile. */
    private static final long SMALL_BYTES = 64L << 20;

    /** Algorithms of large parts, which are sets of addresses, or of addresses and ports. */
    private static final List<Algorithm> LARGE =
            List.of(Algorithm.of("routes"), Algorithm.of("pairs"));

    private static final Logger LOG = LoggerFactory.getLogger(PartEngine.class);

    private final Engine engine;
    private final boolean whole;
    private final AtomicInteger users = new AtomicInteger(1);
    private List<Rule> boxes;

    /**
     * An engine of which the caller is a user.
     *
     * @param whole whether the boxes are those of a whole policy, whose large image is refused
     * @param alone whether no other engine is built meanwhile; else a large image is refused
     */
    PartEngine(EngineOptions options, RuleSet boxes, boolean whole, boolean alone) {
        engine = open(boxes, options.withGpu(GpuPool.Selection.OFF), whole || !alone);
        this.boxes = boxes.rules();
        this.whole = whole;
    }

    /** Returns whether the engine of some boxes may take much memory to build. */
    static boolean isLarge(List<Rule> boxes) {
        return boxes.size() > MANY
                || boxes.stream().anyMatch(box -> box.match().mask(HeaderWord.MAC_HIGH) != 0);
    }

    /** An engine by the first algorithm of parts that serves the boxes, without a measurement. */
    private static Engine open(RuleSet boxes, EngineOptions options, boolean small) {
        boolean chosen = Algorithm.of(options.algorithm()).isPresent();
        boolean macs = boxes.layout().position(HeaderWord.MAC_HIGH) >= 0;
        if (chosen || boxes.size() < FEW) {
            return Engine.open(boxes, options);
        }
        EngineOptions little =
                options.withAlgorithm(SMALL)
                        .withBudget(Math.min(SMALL_BYTES, options.budgetBytes()));
        if (small) {
            return Engine.open(boxes, little);
        }
        for (Algorithm algorithm :
                macs ? List.<Algorithm>of() : boxes.size() > MANY ? LARGE : List.of(SMALL)) {
            try {
                return Engine.open(
                        boxes, algorithm.equals(SMALL) ? little : options.withAlgorithm(algorithm));
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                LOG.debug("{} does not serve a part of '{}'", algorithm, boxes.name(), e);
            }
        }
        return Engine.open(boxes, options);
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
                || !outgrows(after)
                        && (quickly ? engine.takesQuickly(change) : engine.takesInPlace(change));
    }

    /** Returns whether boxes become so many that other algorithms serve them. */
    private boolean outgrows(List<Rule> after) {
        return !whole && boxes.size() <= MANY && after.size() > MANY;
    }

    /** Puts other boxes in force, unless that needs another engine; whether it has. */
    boolean follows(long version, List<Rule> after) {
        RuleDelta change = change(after);
        if (change == null) {
            return true;
        }
        if (outgrows(after) || !engine.takesInPlace(change)) {
            return false;
        }
        engine.apply(version, change).close();
        boxes = after;
        return true;
    }

    /** Some boxes without places, with those that a small change of its own gives them. */
    List<Rule> placed(List<Rule> after) {
        RuleSet before = RuleSet.of("", 0, RuleSet.DROP, boxes);
        return RuleDiff.between(before, after).applied(before, 0).rules();
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
