package dev.sluice.operators.rules.serving;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The versions of the content after the one in force, oldest first, and which of them were tried in
 * vain. Not thread-safe.
 */
final class StepsAhead {
    /** Changes that are kept during a build; of more the next build makes one version. */
    private static final long MOST_CHANGES = 1_000_000;

    private final Deque<ContentStep> steps = new ArrayDeque<>();

    /** Rules that the deltas of the steps name. */
    private long weight;

    /** Refusals of steps, by serial; null once they are reported, or where there is nothing to. */
    private final Map<Long, @Nullable RuntimeException> refused = new HashMap<>();

    /** The content went one version on. */
    void add(ContentStep step) {
        weight += step.weight();
        steps.add(step);
        if (weight > MOST_CHANGES) {
            keepLast();
        }
    }

    /** Forgets all steps but the last, which may change everything and was not tried. */
    ContentStep keepLast() {
        ContentStep last = steps.getLast().withoutDelta();
        steps.clear();
        refused.clear();
        weight = 0;
        steps.add(last);
        return last;
    }

    /** The first step may change everything from now on. */
    void dropFirstDelta() {
        ContentStep first = steps.remove();
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
    @Nullable ContentStep first() {
        return steps.peek();
    }

    /** The newest step; there is one. */
    ContentStep last() {
        return steps.getLast();
    }

    /** All steps, the oldest first. */
    List<ContentStep> oldestFirst() {
        return List.copyOf(steps);
    }

    /** All steps, the newest first. */
    Iterator<ContentStep> newestFirst() {
        return steps.descendingIterator();
    }

    /** Whether a step is not forgotten: the oldest is not younger. */
    boolean holds(ContentStep step) {
        return !steps.isEmpty() && steps.getFirst().serial() <= step.serial();
    }

    /** Whether a step was tried in vain. */
    boolean isRefused(ContentStep step) {
        return refused.containsKey(step.serial());
    }

    /** Why a step was refused; null if it was not, or if that is reported. */
    @Nullable RuntimeException unreported(ContentStep step) {
        return refused.get(step.serial());
    }

    /** Notes that a step is not to be tried; why, if that is to be reported. */
    void refuse(ContentStep step, @Nullable RuntimeException why) {
        refused.put(step.serial(), why);
    }

    /**
     * A step is in force.
     *
     * @return the steps before it, of which the refusals are still known until {@link #forget}
     */
    List<ContentStep> passTo(ContentStep step) {
        List<ContentStep> passed = new ArrayList<>();
        while (holds(step)) {
            ContentStep gone = steps.remove();
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
    void forget(List<ContentStep> passed) {
        passed.forEach(step -> refused.remove(step.serial()));
    }

    /** The newest step that may change everything; null if there is none. */
    @Nullable ContentStep newestReplacement() {
        Iterator<ContentStep> newestFirst = newestFirst();
        while (newestFirst.hasNext()) {
            ContentStep step = newestFirst.next();
            if (step.delta() == null) {
                return step;
            }
        }
        return null;
    }

    /** The newest step that was not tried, perhaps only of those that may change everything. */
    @Nullable ContentStep newestUntried(boolean replacement) {
        Iterator<ContentStep> newestFirst = newestFirst();
        while (newestFirst.hasNext()) {
            ContentStep step = newestFirst.next();
            if (!isRefused(step) && !(replacement && step.delta() != null)) {
                return step;
            }
        }
        return null;
    }
}
