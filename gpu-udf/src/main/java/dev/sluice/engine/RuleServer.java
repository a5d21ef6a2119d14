package dev.sluice.engine;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;

/**
 * Server of versions of the rules, one in force at a time, made by compiling a rule set or by
 * changing the version before.
 *
 * <p>Thread-safe. {@link #load} may take seconds and holds no other method up.
 */
public interface RuleServer extends AutoCloseable {
    /**
     * Compiles a rule set in the calling thread. It is in force on return, and the caller its first
     * user.
     *
     * @throws RuntimeException if the rules cannot be served; the version before stays in force
     *     then
     */
    ServedVersion load(String history, RuleSet rules);

    /**
     * Changes the rules of the version in force. The version that this makes is in force on return,
     * and the caller its first user.
     *
     * @param history id of the history of the version to make
     * @param version its number
     * @throws RuntimeException if the delta does not fit the rules, or the rules cannot be served;
     *     the version before stays in force then
     */
    ServedVersion apply(String history, long version, RuleDelta delta);

    /**
     * Tells whether {@link #apply} would take a delta without compiling anything: in milliseconds.
     */
    boolean takesQuickly(RuleDelta delta);

    /**
     * Tells whether {@link #apply} would take a delta without compiling the rules, if perhaps only
     * when something else is prepared.
     */
    boolean takesInPlace(RuleDelta delta);

    /** The rules of the version in force, in total order. O(rules). */
    RuleSet rules();

    /** Figures of the version in force. */
    EngineFigures figures();

    /** Gives everything back. No batch may be under way. */
    @Override
    void close();
}
