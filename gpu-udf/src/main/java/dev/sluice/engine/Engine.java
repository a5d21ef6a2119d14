package dev.sluice.engine;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The front door of the classification engine: tells for batches of packet headers which rule of a
 * rule set is the best that matches.
 *
 * <p>An engine owns what stands between a rule set and its verdicts: which algorithm looks the
 * rules up, whether a device does and from which batch size on, how batches go to it, and what the
 * CPU does meanwhile. {@link EngineOptions} leave each of these open or decide it.
 *
 * <p>Rule sets come one after the other ({@link #load}); each is a {@link RuleSetVersion}, and a
 * batch belongs to one. Versions before the last stay usable until they are closed, so that batches
 * under way end under the rules that they began with.
 *
 * <p>Thread-safe: any number of threads submit batches, of several versions at a time. A batch
 * costs one call more than its classifier; nothing is added a header.
 */
public final class Engine implements AutoCloseable {
    private final EngineOptions options;
    private final GpuPool.@Nullable Use device;

    /** Versions that are not closed; guarded by this. */
    private final Set<RuleSetVersion> open = new LinkedHashSet<>();

    private volatile @Nullable RuleSetVersion current;

    private Engine(EngineOptions options, int instance) {
        this.options = options;
        this.device = GpuPool.shared().use(options.gpu(), instance);
    }

    /**
     * An engine with a rule set in force.
     *
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules
     */
    public static Engine open(RuleSet rules, EngineOptions options) {
        Engine engine = open(options, 0);
        try {
            engine.load(rules);
            return engine;
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /**
     * An engine without rules so far. The device that it may use is opened now.
     *
     * @param instance number of this engine among those of the process: they are spread over the
     *     devices
     * @throws dev.sluice.engine.gpu.driver.GpuException if a device that the options name cannot be
     *     used
     */
    public static Engine open(EngineOptions options, int instance) {
        return new Engine(options, instance);
    }

    /**
     * Compiles a rule set and puts it in force. Other threads may submit batches of the versions
     * before meanwhile.
     *
     * @return the version, to be closed when its last batch is out, or with the engine
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds; the
     *     version before stays in force then
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules; the version before stays in force then
     */
    public synchronized RuleSetVersion load(RuleSet rules) {
        long start = System.nanoTime();
        Compiler.Compiled compiled = new Compiler(options).compileExplained(rules);
        long buildNanos = System.nanoTime() - start;
        Classifier plain = compiled.classifier();
        FlowCache cache =
                options.flowCacheEntries() == 0
                        ? null
                        : new FlowCache(plain, options.flowCacheEntries());
        GpuClassifier gpu =
                device == null
                        ? null
                        : device.classifier(
                                plain, cache == null ? plain : cache, rules, options.offload());
        RuleSetVersion version = new RuleSetVersion(this, rules, compiled, buildNanos, cache, gpu);
        open.add(version);
        current = version;
        return version;
    }

    /**
     * The version in force.
     *
     * @throws IllegalStateException if no rule set was loaded
     */
    public RuleSetVersion current() {
        RuleSetVersion version = current;
        if (version == null) {
            throw new IllegalStateException("the engine has no rules; load a rule set first");
        }
        return version;
    }

    /**
     * Starts on a batch under a version. Several batches may be under way.
     *
     * @param version a version of this engine that is not closed
     * @param headers a batch of the version's layout, not to be changed before the verdicts are
     *     there
     * @param verdicts room for at least {@code headers.size()} verdicts, filled when they are
     *     there: for each header a position in the version's rules, or {@link VerdictBatch#MISS}
     * @throws IllegalStateException if the version is closed, or another engine's
     * @throws dev.sluice.engine.lookup.LayoutMismatchException if the batch was built for another
     *     layout
     */
    public PendingVerdicts submit(
            RuleSetVersion version, HeaderBatch headers, VerdictBatch verdicts) {
        requireOpen(version);
        return version.submit(headers, verdicts);
    }

    /** Starts on a batch under the version in force, as {@link #submit} under a version. */
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return submit(current(), headers, verdicts);
    }

    /** Looks a batch up under the version in force. */
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        submit(headers, verdicts).await();
    }

    /** The verdicts on a batch under the version in force, in memory of their own. */
    public VerdictBatch classify(HeaderBatch headers) {
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        classify(headers, verdicts);
        return verdicts;
    }

    /**
     * Memory of the device that headers of a batch can be written to without a detour. Does not
     * wait.
     *
     * @param version a version of this engine that is not closed
     * @param headers most headers of the batch
     * @return null where the CPU classifies, none is free, or headers had better go by {@link
     *     #submit}
     * @throws IllegalStateException if the version is closed, or another engine's
     */
    public @Nullable StagedHeaders stage(RuleSetVersion version, int headers) {
        requireOpen(version);
        return version.stage(headers);
    }

    private void requireOpen(RuleSetVersion version) {
        if (!version.isOpenIn(this)) {
            throw new IllegalStateException(
                    "version "
                            + version.rules().version()
                            + " of '"
                            + version.rules().name()
                            + "' is closed or another engine's; submit batches with a version that this engine holds");
        }
    }

    /** Says that no batch comes for a while: kernels that wait for one on a device may leave it. */
    public void rest() {
        RuleSetVersion version = current;
        if (version != null) {
            version.rest();
        }
    }

    /** What was counted of the version in force. */
    public EngineFigures figures() {
        RuleSetVersion version = current;
        return version == null ? EngineFigures.NONE : version.figures();
    }

    synchronized void forget(RuleSetVersion version) {
        open.remove(version);
    }

    /** Closes the versions that are open, and gives the device back. No batch may be under way. */
    @Override
    public synchronized void close() {
        try {
            Set.copyOf(open).forEach(RuleSetVersion::close);
        } finally {
            if (device != null) {
                device.close();
            }
        }
    }

    /**
     * A rule set that is compiled for the CPU alone, for tools that bring a device of their own.
     *
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules
     */
    public static Classifier compile(RuleSet rules, EngineOptions options) {
        return new Compiler(options).compile(rules);
    }

    /**
     * Rules that change while they are looked into, on the CPU. Close them when done.
     *
     * @param layout words that rules may look at, those of later rules too
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules
     */
    public static LiveClassifier live(RuleSet rules, HeaderLayout layout, EngineOptions options) {
        return new Compiler(options).live(rules, layout);
    }

    /** As {@link #live(RuleSet, HeaderLayout, EngineOptions)}, over the layout of the rules. */
    public static LiveClassifier live(RuleSet rules, EngineOptions options) {
        return live(rules, rules.layout(), options);
    }

    /**
     * Lines that the algorithm in force tells about the compiled rules beyond their size; most tell
     * none.
     */
    public List<String> report() {
        RuleSetVersion version = current();
        return version.algorithm().report(version.rules(), new Compiler(options).context());
    }
}
