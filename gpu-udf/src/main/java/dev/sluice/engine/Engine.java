package dev.sluice.engine;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.gpu.Crossover;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.Spares;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The front door of the classification engine: tells for batches of packet headers which rule of a
 * rule set is the best that matches, while the rules change.
 *
 * <p>An engine owns what stands between rules and verdicts: which algorithm looks the rules up,
 * whether a device does and from which batch size on, how batches go to it, and what the CPU does
 * meanwhile. {@link EngineOptions} leave each of these open or decide it.
 *
 * <p>Rules come whole ({@link #load}) or as changes of those in force ({@link #apply}); each is a
 * {@link RuleSetVersion}, and a batch belongs to one. Most changes take microseconds: they go into
 * memory that all versions over one compiled base share, and no look-up waits for them, of whatever
 * version. When much has changed, a thread of the engine compiles a new base; the version in force
 * is replaced by one of the same number over it then, so who holds a version for long looks at
 * {@link #current} now and then, for instance before each batch:
 *
 * <pre>{@code
 * if (mine != engine.current()) {
 *     mine.close();
 *     mine = engine.acquire();
 * }
 * engine.submit(mine, headers, verdicts).await();
 * }</pre>
 *
 * <p>Thread-safe: any number of threads submit batches, of several versions at a time. Those who
 * change rules take turns; the lock that they take is never held while something is compiled. A
 * batch costs one call more than its classifier; nothing is added a header while nothing has
 * changed since the base.
 */
public final class Engine implements AutoCloseable {
    private final EngineOptions options;
    private final RulesInForce inForce;
    private final Spares<BatchUnderVersion> batches = new Spares<>(this::newBatch);

    private Engine(EngineOptions options, int instance, RenewalBounds bounds) {
        this.options = options;
        this.inForce = new RulesInForce(options, instance, bounds);
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
        return open(rules, options, RenewalBounds.DEFAULTS);
    }

    /** As {@link #open(RuleSet, EngineOptions)}, with other bounds for new bases. */
    static Engine open(RuleSet rules, EngineOptions options, RenewalBounds bounds) {
        Engine engine = new Engine(options, 0, bounds);
        try {
            engine.load(rules).close(); // the engine holds it
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
        return new Engine(options, instance, RenewalBounds.DEFAULTS);
    }

    /**
     * Compiles a rule set in the calling thread and puts it in force, in the place of all that was
     * before. Other threads may submit batches meanwhile; changes that they apply meanwhile end
     * with the rules that they change.
     *
     * @return the version, which the caller closes in its time
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds; the
     *     version before stays in force then
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules; the version before stays in force then
     * @throws IllegalArgumentException if two rules have the same id
     */
    public RuleSetVersion load(RuleSet rules) {
        return inForce.load(rules);
    }

    /**
     * Changes the rules in force. Takes microseconds a rule, or as long as {@link #load} where
     * {@link #takesQuickly} says no; the result is the same.
     *
     * @param number number of the version that the delta makes
     * @param delta a change of the rules in force; inserted rules have places, and an insertion
     *     under the id of a rule that is there changes or moves that rule
     * @return the version, in force now, which the caller closes in its time
     * @throws IllegalArgumentException if the delta does not fit the rules: it removes an id that
     *     is not there, names one twice, or gives two rules the same priority and place; nothing is
     *     changed then
     * @throws MemoryBudgetException if new images would pass the budget or what the heap holds;
     *     nothing is changed then
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules; nothing is changed then
     * @throws IllegalStateException if no rule set was loaded
     */
    public RuleSetVersion apply(long number, RuleDelta delta) {
        return inForce.apply(number, delta);
    }

    /**
     * Returns whether {@link #apply} would make a delta's changes in place, within milliseconds,
     * rather than compile the rules: it does not where the delta is large, where its rules look at
     * header words that the rules in force do not, where memory has run out, where options ask for
     * another answer than the best rule, and with removals in the first moments after a new rule
     * set.
     *
     * @throws IllegalStateException if no rule set was loaded
     */
    public boolean takesQuickly(RuleDelta delta) {
        return inForce.takesQuickly(delta);
    }

    /**
     * Returns whether {@link #apply} would make a delta's changes in place, at once or once what
     * removals need is prepared, rather than compile the rules.
     *
     * @throws IllegalStateException if no rule set was loaded
     */
    public boolean takesInPlace(RuleDelta delta) {
        return inForce.takesInPlace(delta);
    }

    /**
     * The version in force. It may be closed by the time that the caller uses it: {@link #acquire}
     * for that.
     *
     * @throws IllegalStateException if no rule set was loaded
     */
    public RuleSetVersion current() {
        return inForce.current();
    }

    /**
     * The version in force, held for the caller, who closes it in its time.
     *
     * @throws IllegalStateException if no rule set was loaded, or the engine is closed
     */
    public RuleSetVersion acquire() {
        return inForce.acquire();
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
        RuleSetVersion version = acquire();
        PendingVerdicts pending;
        try {
            pending = version.submit(headers, verdicts);
        } catch (RuntimeException | Error e) {
            version.close();
            throw e;
        }
        if (pending == PendingVerdicts.READY) {
            version.close();
            return pending;
        }
        BatchUnderVersion batch = batches.take();
        batch.begin(version, pending);
        return batch;
    }

    private BatchUnderVersion newBatch() {
        return new BatchUnderVersion(batches);
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

    /**
     * Returns whether a batch that is submitted now, without memory of {@link #stage}, waits for
     * one that is under way. A thread that has batches under way reads the verdicts of its eldest
     * first.
     *
     * @param version a version of this engine that is not closed
     * @throws IllegalStateException if the version is closed, or another engine's
     */
    public boolean isDeviceFull(RuleSetVersion version) {
        requireOpen(version);
        return version.isDeviceFull();
    }

    private void requireOpen(RuleSetVersion version) {
        if (!version.isOpenIn(inForce)) {
            throw new IllegalStateException(
                    "version "
                            + version.number()
                            + " of '"
                            + version.name()
                            + "' is closed or another engine's; submit batches with a version that this engine holds");
        }
    }

    /** Says that no batch comes for a while: kernels that wait for one on a device may leave it. */
    public void rest() {
        RuleSetVersion version = inForce.orNull();
        if (version != null) {
            version.rest();
        }
    }

    /** Returns the figures of the version in force. */
    public EngineFigures figures() {
        RuleSetVersion version = inForce.orNull();
        return version == null ? EngineFigures.NONE : version.figures();
    }

    /**
     * Returns the comparison of device and CPU for the rules that were compiled last, even if the
     * CPU was faster; empty where there is no device, no kernel of it reads the rules, or the
     * options leave nothing to measure.
     */
    public Optional<Crossover> crossover() {
        return inForce.crossover();
    }

    /** Waits until nothing is compiled or prepared in the background; for tests. */
    void awaitBackground() throws InterruptedException {
        inForce.renewals().await();
    }

    /** Bases that were compiled in the background and came into force. */
    long renewed() {
        return inForce.renewals().done();
    }

    /** Failure of the last try to compile a base in the background; null if it did not fail. */
    @Nullable Throwable renewalFailure() {
        return inForce.renewals().failure();
    }

    /**
     * Ends what goes on in the background and gives the device back. No batch may be under way;
     * versions that are held are of no use any more.
     */
    @Override
    public void close() {
        inForce.close();
    }

    /**
     * A rule set that is compiled for the CPU alone, for tools that bring a device of their own.
     *
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules
     */
    public static Classifier compile(RuleSet rules, EngineOptions options) {
        return new Compiler(options.compile()).compile(rules);
    }

    /**
     * Lines that the algorithm in force tells about the compiled rules beyond their size; most tell
     * none.
     */
    public List<String> report() {
        try (RuleSetVersion version = acquire()) {
            return version.algorithm()
                    .report(version.rules(), new Compiler(options.compile()).context());
        }
    }
}
