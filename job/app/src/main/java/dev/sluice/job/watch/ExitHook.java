package dev.sluice.job.watch;

/** Work that is done where the process is told to end before the hook is closed. */
public final class ExitHook implements AutoCloseable {
    private final Thread thread;

    /** Registers the work. */
    public ExitHook(Runnable work) {
        thread = new Thread(work, "exit");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            return; // the process ends, and the hook with it
        }
    }
}
