package dev.sluice.operators.rules.serving;

/** Lets tests of other packages wait for the end of rule streams, which nobody else waits for. */
public final class StreamEnds {
    private StreamEnds() {}

    /** Waits until every stream whose last lease has ended is closed. */
    public static void await() throws InterruptedException {
        VersionService.awaitClosed();
    }
}
