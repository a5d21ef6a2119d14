package dev.sluice.engine.choice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The JVM's own threads that compile methods, as Linux tells of them: whoever measures a method
 * lets them finish first, or measures the interpreter. Where nothing tells of them they count as at
 * rest. Thread-safe.
 */
final class JitThreads {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** HotSpot's names, which Linux cuts after 15 characters. */
    private static final String[] NAMES = {"(C1 CompilerThre)", "(C2 CompilerThre)"};

    private JitThreads() {}

    /**
     * Waits until they have nothing to do, asleep, so that they have this thread's core.
     *
     * @param mostNanos waits so long at most
     * @return nanoseconds waited, 0 if and only if they had nothing to do
     */
    static long rest(long mostNanos) {
        if (!atWork()) {
            return 0;
        }
        long start = System.nanoTime();
        long waited = 0;
        while (waited < mostNanos && atWork()) {
            LockSupport.parkNanos(POLL_NANOS);
            waited = System.nanoTime() - start;
        }
        return Math.max(1, waited);
    }

    private static boolean atWork() {
        for (String task : tasks()) {
            if (isAtWork(stat(task))) {
                return true;
            }
        }
        return false;
    }

    /** The numbers of this process's threads; none where nothing tells of them. */
    static String[] tasks() {
        String[] tasks = TASKS.toFile().list();
        return tasks == null ? new String[0] : tasks;
    }

    /** Returns whether a task's line is one of these threads', and tells that it runs or would. */
    static boolean isAtWork(String stat) {
        int behind = behindName(stat);
        return behind >= 0 && stat.startsWith(" R", behind);
    }

    /**
     * Returns the end of the name of one of these threads in a task's line; negative in another's
     * line.
     */
    static int behindName(String stat) {
        for (String name : NAMES) {
            int at = stat.indexOf(name);
            if (at >= 0) {
                return at + name.length();
            }
        }
        return -1;
    }

    /** A task's line; empty where the thread has ended meanwhile. */
    static String stat(String task) {
        try {
            return Files.readString(TASKS.resolve(task).resolve("stat"));
        } catch (IOException e) {
            return "";
        }
    }
}
