package dev.sluice.engine.testing;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Keeps the stories of a test that fails. Tests that {@link SameVerdicts} does not run tell their
 * stories here: those of threads, of faults, of operators. JUnit finds this by its service file, so
 * that no test has to ask for it.
 *
 * <p>{@link #tell} is thread-safe; one test at a time runs in a JVM.
 */
public final class DrawnStories implements TestExecutionExceptionHandler, AfterEachCallback {
    private static final Queue<Drawn> DRAWN = new ConcurrentLinkedQueue<>();

    private record Drawn(Supplier<RuleStory> story, Optional<Subject> alone) {
        /** What was found, and where the story is. */
        String keep(String label, Throwable failure) {
            RuleStory told = story.get();
            String found = "%s fails on %s%n%s%n".formatted(label, told, failure);
            if (alone.isPresent()) {
                try {
                    SameVerdicts.assertSameVerdicts(told, alone.get());
                } catch (AssertionError smaller) {
                    return found + smaller.getMessage();
                }
            }
            return SameVerdicts.keep(told, label, found);
        }
    }

    /**
     * A story of the test that runs.
     *
     * @param story of the rules, updates and headers so far; asked for if the test fails
     */
    public static void tell(Supplier<RuleStory> story) {
        DRAWN.add(new Drawn(story, Optional.empty()));
    }

    /**
     * As {@link #tell(Supplier)}.
     *
     * @param alone what the test is about, in one thread and without faults; where it fails on the
     *     story, too, the story is made smaller
     */
    public static void tell(Supplier<RuleStory> story, Subject alone) {
        DRAWN.add(new Drawn(story, Optional.of(alone)));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        if (!(failure instanceof TestAbortedException)) {
            String label = context.getRequiredTestClass().getSimpleName();
            DRAWN.forEach(drawn -> failure.addSuppressed(new Kept(drawn.keep(label, failure))));
        }
        throw failure;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        DRAWN.clear();
    }

    /** What a failure's trace says of a story. */
    static final class Kept extends Exception {
        private static final long serialVersionUID = 1L;

        Kept(String what) {
            super(what, null, false, false);
        }
    }
}
