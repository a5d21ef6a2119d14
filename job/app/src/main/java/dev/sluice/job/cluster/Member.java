package dev.sluice.job.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Process of a cluster.
 *
 * @param role {@value #BROKER}, {@value #JOB_MANAGER} or {@value #TASK_MANAGER} and a number
 * @param pid process id; the system may reuse it once the process has ended
 * @param startedMillis when the process started, ms since 1970 UTC
 */
public record Member(String role, long pid, long startedMillis) {
    /** Role of the broker. */
    public static final String BROKER = "broker";

    /** Role of the JobManager. */
    public static final String JOB_MANAGER = "jobmanager";

    /** Role of the process that restarts TaskManagers. */
    public static final String WATCH = "watch";

    /** Prefix of a TaskManager's role; a number from 1 on follows. */
    public static final String TASK_MANAGER = "taskmanager-";

    /**
     * Tolerance between two readings of one process's start time. Linux counts that time from the
     * start of the machine, rounds that start to whole seconds, and moves it with the clock.
     */
    private static final long TOLERANCE_MILLIS = 2_000;

    private static final long KIBI = 1 << 10;

    /** Refuses a file that leaves out the role. */
    public Member {
        Objects.requireNonNull(role);
    }

    /** Creates the member of a process, by which the process is recognized later. */
    static Member of(String role, ProcessHandle process) {
        return new Member(role, process.pid(), started(process));
    }

    private static long started(ProcessHandle process) {
        return process.info().startInstant().map(i -> i.toEpochMilli()).orElse(0L);
    }

    /**
     * Finds the process; empty if it has ended, even if another process now has its id.
     *
     * <p>An empty answer never becomes a present one: the zombie's state is read before the handle.
     * In the other order, a process that is reaped between the two checks would pass both.
     */
    public Optional<ProcessHandle> process() {
        if (isZombie()) {
            return Optional.empty();
        }
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(p -> Math.abs(started(p) - startedMillis) <= TOLERANCE_MILLIS);
    }

    /** Tells whether the member is the broker. */
    public boolean ofBroker() {
        return role.equals(BROKER);
    }

    /** Tells whether the process runs. */
    public boolean runs() {
        return process().isPresent();
    }

    /**
     * Tells whether the process is a zombie: ended, but not reaped. It keeps its id for good where
     * process 1 never reaps.
     */
    private boolean isZombie() {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            return stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (IOException e) {
            return false; // ended meanwhile, or a system without /proc
        }
    }

    /** Returns the resident memory, in bytes; empty where the system does not report it. */
    public OptionalLong residentBytes() {
        try {
            return Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIBI)
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty(); // ended meanwhile, or a system without /proc
        }
    }
}
