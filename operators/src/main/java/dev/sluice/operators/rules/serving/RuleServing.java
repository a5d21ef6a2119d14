package dev.sluice.operators.rules.serving;

import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.history.RuleLog;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.operators.rules.serving.PendingVersions.Step;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what is served after the content of the rules: decides for each version of the content
 * whether it comes into force by a delta, by a build behind, or not at all.
 *
 * <p>The content always follows the history; refusal concerns serving. While the version in force
 * is the one before a small change, the change is applied at once; a replacement that differs from
 * it by a small change is applied as one. Anything else is built in a thread of its own, one build
 * at a time, always of the newest version that was not tried: versions that come during a build are
 * merged into what follows it. If the engine refuses a version, older ones that were not tried are,
 * down to the version in force, which stays if all are refused. After a build the changes since are
 * applied, as far as they are small.
 *
 * <p>After a refusal, versions that are made by deltas wait for a while before they are tried, as
 * they may be no better than what they change ({@link RefusalPause}); then the newest of them is
 * tried. A version that replaces all rules is tried at once and ends the wait, as does one that
 * comes into force. Nothing waits while it is not decided what tasks begin with.
 *
 * <p>Used by the stream's thread alone. It never waits for a build.
 */
final class RuleServing {
    /** Hears what becomes of versions; in the stream's thread. */
    interface Listener {
        /**
         * A version is in force.
         *
         * @param lookup the version, of which the listener is the first user
         * @param built whether it was compiled anew
         */
        void inForce(Step step, ServedVersion lookup, boolean built);

        /**
         * A version cannot be served, and neither can what was tried instead of it.
         *
         * @param again whether that was reported before the checkpoint that was restored
         */
        void refused(Step step, RuntimeException why, boolean again);

        /** An error that no version is to blame for. */
        void failed(Throwable failure);
    }

    /** Versions that cannot be built and are compared with the one in force. */
    private static final int MOST_COMPARED = 32;

    /** Versions that wait after a refusal; of more, the older ones are not tried any more. */
    static final int MOST_WAITING = 32;

    private static final Logger LOG = LoggerFactory.getLogger(RuleServing.class);

    private final RuleServer server;
    private final RuleLog log;
    private final Executor builder;
    private final Executor stream;
    private final Listener listener;

    private final PendingVersions ahead = new PendingVersions();
    private long steps;

    /** The step in force; null before the first. */
    private @Nullable Step inForce;

    /** True if a version is being built. */
    private boolean building;

    private final RefusalPause pause;

    /** True if versions may wait after a refusal. */
    private boolean patient;

    /** True if a refusal was not reported so far. */
    private boolean unreported;

    /** A version that was built and that the stream's thread has not come to; null: none. */
    private final AtomicReference<@Nullable ServedVersion> unclaimed = new AtomicReference<>();

    /** The pair of version in force and replacement that differ by more than a small delta. */
    private long comparedInForce = -1;

    private long comparedWith = -1;

    /**
     * Nothing is in force so far.
     *
     * @param builder runs builds
     * @param stream runs what is to run in the stream's thread
     * @param nanoTime clock of the pauses after refusals, as {@link System#nanoTime}
     */
    RuleServing(
            RuleServer server,
            RuleLog log,
            Executor builder,
            Executor stream,
            LongSupplier nanoTime,
            Listener listener) {
        this.server = server;
        this.log = log;
        this.builder = builder;
        this.stream = stream;
        this.pause = new RefusalPause(nanoTime);
        this.listener = listener;
    }

    /**
     * The content went one version on. {@link #advance} is to be called some time after it.
     *
     * @param index as that of a {@link Step}
     * @param delta as that of a {@link Step}
     */
    void follow(long index, String history, long version, @Nullable RuleDelta delta) {
        if (delta == null) {
            pause.reset();
        }
        ahead.add(new Step(++steps, index, history, version, delta));
    }

    /** Versions of the content that are not in force. */
    int pending() {
        return ahead.size();
    }

    /** Tells whether a version is being built. */
    boolean building() {
        return building;
    }

    /** Tells whether versions may wait after a refusal; at first they may not. */
    void patient(boolean mayWait) {
        patient = mayWait;
    }

    /**
     * Nanoseconds until {@link #advance} is to be called to try what waits after a refusal; {@link
     * Long#MAX_VALUE} if nothing waits.
     */
    long nanosToNextTry() {
        return building || ahead.newestUntried(false) == null ? Long.MAX_VALUE : pause.left();
    }

    /** Does what can be done at once, and has the rest built. */
    void advance() {
        if (building) {
            return;
        }
        while (applyNext()) {
            // one small change after the other
        }
        if (building || ahead.isEmpty() || applyAsOne()) {
            return;
        }
        boolean all = !patient || pause.left() == 0;
        Step untried = ahead.newestUntried(!all);
        if (untried != null) {
            build(untried);
        } else if (all || ahead.newestUntried(false) == null) {
            if (!applyUnbuildable()) {
                settle();
            }
        } else if (unreported && !applyUnbuildable()) {
            beginToWait();
        }
    }

    /** Tells whether the next step was applied and is in force. */
    private boolean applyNext() {
        Step next = ahead.first();
        RuleDelta delta = next == null ? null : next.delta();
        if (inForce == null || next == null || delta == null) {
            return false;
        }
        if (server.takesQuickly(delta)) {
            return apply(next, delta);
        }
        if (server.takesInPlace(delta) && !ahead.isRefused(next)) {
            inBuilder(next, false, () -> server.apply(next.history(), next.version(), delta));
        }
        return false;
    }

    /** Puts the version in force that a small delta makes, if the engine takes it after all. */
    private boolean apply(Step step, RuleDelta delta) {
        ServedVersion lookup;
        try {
            lookup = server.apply(step.history(), step.version(), delta);
        } catch (RuntimeException e) {
            LOG.error(
                    "version {} of the rules cannot be made by a delta and is built anew",
                    step.version(),
                    e);
            ahead.dropFirstDelta();
            return false;
        }
        nowInForce(step, lookup, false);
        return true;
    }

    /**
     * Applies all that is ahead in one delta, where a replacement turns out to be a small one.
     *
     * @return whether that is done, or under way
     */
    private boolean applyAsOne() {
        Step before = inForce;
        Step head = ahead.last();
        Step replacement = ahead.newestReplacement();
        if (before == null
                || replacement == null
                || comparedInForce == before.serial() && comparedWith == replacement.serial()) {
            return false;
        }
        comparedInForce = before.serial();
        comparedWith = replacement.serial();
        RuleDelta delta = changeTo(log.book().newest());
        if (delta == null) {
            return false;
        }
        if (server.takesQuickly(delta)) {
            return apply(head, delta);
        }
        if (server.takesInPlace(delta)) {
            inBuilder(head, false, () -> server.apply(head.history(), head.version(), delta));
            return true;
        }
        return false;
    }

    /** The change of what is served to other rules; null if they have another default action. */
    private @Nullable RuleDelta changeTo(@Nullable RuleSet wanted) {
        RuleSet served = server.rules();
        return wanted == null || !served.defaultAction().equals(wanted.defaultAction())
                ? null
                : VersionDiff.between(served, wanted).delta();
    }

    /**
     * Applies the newest version that differs from the one in force by a small change, although it
     * cannot be built: so it was served before a restart.
     *
     * @return whether that is done
     */
    private boolean applyUnbuildable() {
        if (inForce == null) {
            return false;
        }
        Iterator<Step> newestFirst = ahead.newestFirst();
        for (int tries = 0; tries < MOST_COMPARED && newestFirst.hasNext(); tries++) {
            Step step = newestFirst.next();
            RuleDelta delta =
                    ahead.unreported(step) == null
                            ? null
                            : changeTo(log.at(step.history(), step.version()));
            if (delta != null && server.takesQuickly(delta)) {
                boolean applied = apply(step, delta);
                if (applied) {
                    advance();
                }
                return applied;
            }
        }
        return false;
    }

    private void build(Step step) {
        RuleSet rules;
        if (step.serial() == ahead.last().serial()) {
            rules = log.book().newest();
        } else {
            rules = log.at(step.history(), step.version());
            if (rules == null) { // the log reaches back no further
                ahead.refuse(step, null);
                advance();
                return;
            }
        }
        inBuilder(step, true, () -> server.load(step.history(), rules));
    }

    /** Has the builder make a version. */
    private void inBuilder(Step step, boolean load, Supplier<ServedVersion> make) {
        building = true;
        builder.execute(
                () -> {
                    try {
                        ServedVersion lookup = make.get();
                        unclaimed.set(lookup);
                        stream.execute(() -> built(step, lookup, load));
                    } catch (RuntimeException e) {
                        stream.execute(() -> refused(step, e));
                    } catch (Throwable e) {
                        stream.execute(() -> listener.failed(e));
                    }
                });
    }

    private void built(Step step, ServedVersion lookup, boolean load) {
        building = false;
        unclaimed.set(null);
        nowInForce(step, lookup, load);
        advance();
    }

    private void refused(Step step, RuntimeException why) {
        building = false;
        pause.refused();
        if (ahead.holds(step)) {
            ahead.refuse(step, why);
            unreported = true;
        } else { // too much has come meanwhile: the step is forgotten
            listener.refused(step, why, false);
        }
        LOG.info("version {} of the rules cannot be built: {}", step.version(), why.getMessage());
        advance();
    }

    private void nowInForce(Step step, ServedVersion lookup, boolean built) {
        List<Step> passed = ahead.passTo(step);
        inForce = step;
        pause.reset();
        passed.forEach(this::report);
        ahead.forget(passed);
        listener.inForce(step, lookup, built);
    }

    /** Reports refused versions, and keeps the newest untried ones for the next attempt. */
    private void beginToWait() {
        ahead.oldestFirst().forEach(this::report);
        unreported = false;
        int waiting = 0;
        Iterator<Step> newestFirst = ahead.newestFirst();
        while (newestFirst.hasNext()) {
            Step step = newestFirst.next();
            if (!ahead.isRefused(step) && ++waiting > MOST_WAITING) {
                log.unservable(step.history(), step.version());
                ahead.refuse(step, null);
            }
        }
    }

    /** Nothing that is ahead can be served: says so, and keeps no more of it than its last step. */
    private void settle() {
        ahead.oldestFirst().forEach(this::report);
        unreported = false;
        ahead.refuse(ahead.keepLast(), null);
    }

    /** Closes what was built last if nobody took it. To be called when both threads have ended. */
    void close() {
        ServedVersion left = unclaimed.getAndSet(null);
        if (left != null) {
            left.close();
        }
    }

    /** The version in force; null before the first. */
    RuleLog.@Nullable Held inForce() {
        return inForce == null ? null : new RuleLog.Held(inForce.history(), inForce.version());
    }

    private void report(Step step) {
        RuntimeException why = ahead.unreported(step);
        if (why != null) {
            ahead.refuse(step, null);
            boolean again = !log.unservable(step.history(), step.version());
            listener.refused(step, why, again);
        }
    }
}
