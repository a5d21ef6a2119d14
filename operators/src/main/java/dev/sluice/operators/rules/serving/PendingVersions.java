package dev.sluice.operators.rules.serving;

import dev.sluice.engine.rules.RuleDelta;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The versions of the content after the one in force, oldest first, and which of them were tried in
 * vain. Not thread-safe.
 */
final class PendingVersions {
    /**
     * A committed transaction that the content of the rules has followed.
     *
     * @param serial number of the step, from 1 in each process
     * @param index number of the broadcast message that committed it; 0 for what a subtask may use
     *     from its start on: restored, or read by the bootstrap
     * @param history id of its history
     * @param version rule-set version that it makes
     * @param delta what it changes of the version before; null if it may change everything
     */
    record Step(long serial, long index, String history, long version, @Nullable RuleDelta delta) {
        /** Rules that the delta names. */
        long weight() {
            RuleDelta changes = delta;
            return changes == null
                    ? 0
                    : (long) changes.removes().size()
                            + changes.inserts().size()
                            + changes.shifts().size();
        }

        /** The step, of which no more is known than that it may change everything. */
        Step withoutDelta() {
            return new Step(serial, index, history, version, null);
        }
    }

    /** Changes that are kept during a build; of more the next build makes one version. */
    private static final long MOST_CHANGES = 1_000_000;

    private final Deque<Step> steps = new ArrayDeque<>();

    /** Rules that the deltas of the steps name. */
    private long weight;

    /** Refusals of steps, by serial; null once they are reported, or where there is nothing to. */
    private final Map<Long, @Nullable RuntimeException> refused = new HashMap<>();

    /** The content went one version on. */
    void add(Step step) {
        weight += step.weight();
        steps.add(step);
        if (weight > MOST_CHANGES) {
            keepLast();
        }
    }

    /** Forgets all steps but the last, which may change everything and was not tried. */
    Step keepLast() {
        Step last = steps.getLast().withoutDelta();
        steps.clear();
        refused.clear();
        weight = 0;
        steps.add(last);
        return last;
    }

    /** The first step may change everything from now on. */
    void dropFirstDelta() {
        Step first = steps.remove();
        weight -= first.weight();
        steps.addFirst(first.withoutDelta());
    }

    int size() {
        return steps.size();
    }

    boolean isEmpty() {
        return steps.isEmpty();
    }

    /** The oldest step; null if there is none. */
    @Nullable Step first() {
        return steps.peek();
    }

    /** The newest step; there is one. */
    Step last() {
        return steps.getLast();
    }

    /** All steps, the oldest first. */
    List<Step> oldestFirst() {
        return List.copyOf(steps);
    }

    /** All steps, the newest first. */
    Iterator<Step> newestFirst() {
        return steps.descendingIterator();
    }

    /** Tells whether a step is not forgotten: the oldest is not younger. */
    boolean holds(Step step) {
        return !steps.isEmpty() && steps.getFirst().serial() <= step.serial();
    }

    /** Tells whether a step was tried in vain. */
    boolean isRefused(Step step) {
        return refused.containsKey(step.serial());
    }

    /** Why a step was refused; null if it was not, or if that is reported. */
    @Nullable RuntimeException unreported(Step step) {
        return refused.get(step.serial());
    }

    /** Notes that a step is not to be tried; why, if that is to be reported. */
    void refuse(Step step, @Nullable RuntimeException why) {
        refused.put(step.serial(), why);
    }

    /**
     * A step is in force.
     *
     * @return the steps before it, of which the refusals are still known until {@link #forget}
     */
    List<Step> passTo(Step step) {
        List<Step> passed = new ArrayList<>();
        while (holds(step)) {
            Step gone = steps.remove();
            weight -= gone.weight();
            if (gone.serial() < step.serial()) {
                passed.add(gone);
            } else {
                refused.remove(gone.serial()); // it is served after all, by a delta
            }
        }
        return passed;
    }

    /** Forgets the refusals of steps that are passed. */
    void forget(List<Step> passed) {
        passed.forEach(step -> refused.remove(step.serial()));
    }

    /** The newest step that may change everything; null if there is none. */
    @Nullable Step newestReplacement() {
        return newest(step -> step.delta() == null);
    }

    /** The newest step that was not tried, perhaps only of those that may change everything. */
    @Nullable Step newestUntried(boolean replacement) {
        return newest(step -> !isRefused(step) && !(replacement && step.delta() != null));
    }

    private @Nullable Step newest(Predicate<Step> which) {
        for (Iterator<Step> newestFirst = newestFirst(); newestFirst.hasNext(); ) {
            Step step = newestFirst.next();
            if (which.test(step)) {
                return step;
            }
        }
        return null;
    }
}
