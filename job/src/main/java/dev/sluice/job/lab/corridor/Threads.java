package dev.sluice.job.lab.corridor;

import java.util.List;

/** What is done with several threads. */
final class Threads {
    private Threads() {}

    /** Waits until all have ended; not longer than until the caller is interrupted. */
    static void join(List<Thread> threads) {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
