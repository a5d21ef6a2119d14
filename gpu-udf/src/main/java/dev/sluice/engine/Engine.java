package dev.sluice.engine;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.bases.Renewals;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.gpu.Crossover;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.Optional;

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
 * mine.submit(headers, verdicts).await();
 * }</pre>
 *
 * <p>Thread-safe: any number of threads submit batches, of several versions at a time. Those who
 * change rules take turns; the lock that they take is never held while something is compiled. A
 * batch costs one call more than its classifier; nothing is added a header while nothing has
 * changed since the base.
 */
public final class Engine implements RuleServer {
    private final EngineOptions options;
    private final RulesInForce inForce;

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
     * @param history id of the history that its version is of; empty: none
     * @return the version, which the caller closes in its time
     * @throws MemoryBudgetException if the image would pass the budget or what the heap holds; the
     *     version before stays in force then
     * @throws UnsupportedRulesException if the algorithm that the options name cannot express the
     *     rules; the version before stays in force then
     * @throws IllegalArgumentException if two rules have the same id
     */
    @Override
    public RuleSetVersion load(String history, RuleSet rules) {
        return inForce.load(history, rules);
    }

    /** As {@link #load(String, RuleSet)}, of no history. */
    public RuleSetVersion load(RuleSet rules) {
        return load("", rules);
    }

    /**
     * Changes the rules in force. Takes microseconds a rule, or as long as {@link #load} where
     * {@link #takesQuickly} says no; the result is the same.
     *
     * @param history id of the history that the new version is of; empty: none
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
    @Override
    public RuleSetVersion apply(String history, long number, RuleDelta delta) {
        return inForce.apply(history, number, delta);
    }

    /** As {@link #apply(String, long, RuleDelta)}, of no history. */
    public RuleSetVersion apply(long number, RuleDelta delta) {
        return apply("", number, delta);
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
    @Override
    public boolean takesQuickly(RuleDelta delta) {
        return inForce.takesQuickly(delta);
    }

    /**
     * Returns whether {@link #apply} would make a delta's changes in place, at once or once what
     * removals need is prepared, rather than compile the rules.
     *
     * @throws IllegalStateException if no rule set was loaded
     */
    @Override
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

    /** Looks a batch up under the version in force. */
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        try (RuleSetVersion version = acquire()) {
            version.submit(headers, verdicts).await();
        }
    }

    /** The verdicts on a batch under the version in force, in memory of their own. */
    public VerdictBatch classify(HeaderBatch headers) {
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        classify(headers, verdicts);
        return verdicts;
    }

    /** {@inheritDoc} Puts them together where the version was made by changes. */
    @Override
    public RuleSet rules() {
        try (RuleSetVersion version = acquire()) {
            return version.rules();
        }
    }

    @Override
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

    /** Returns the compiler of new bases in the background; for tests. */
    Renewals renewals() {
        return inForce.renewals();
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
