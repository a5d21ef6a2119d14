package dev.sluice.schemas.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Adds the run's seed, and how to have it again, to every test that fails. JUnit finds it by its
 * service file, so that no test has to ask for it.
 */
public final class SeedReport
        implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw noted(failure, TestSeed.base());
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw noted(failure, TestSeed.base());
    }

    @Override
    public void handleBeforeEachMethodExecutionException(
            ExtensionContext context, Throwable failure) throws Throwable {
        throw noted(failure, TestSeed.base());
    }

    /** The failure, with a note on its seed; a test that was skipped stays as it is. */
    static Throwable noted(Throwable failure, long seed) {
        if (!(failure instanceof TestAbortedException)) {
            failure.addSuppressed(new Note(seed));
        }
        return failure;
    }

    /** What a failure's trace says of the seed. */
    static final class Note extends Exception {
        private static final long serialVersionUID = 1L;

        Note(long seed) {
            super(
                    "random values of this run have seed %d; the same again: ./sluice test --seed %d"
                            .formatted(seed, seed),
                    null,
                    false,
                    false);
        }
    }
}
