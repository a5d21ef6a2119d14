package dev.sluice.job.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A process of a cluster, as the folder knows it.
 *
 * @param role {@value #BROKER}, {@value #JOB_MANAGER} or {@value #TASK_MANAGER} and a number
 * @param pid id that the system gave it, and gives to another process once it has ended
 * @param startedMillis when it started, ms since 1970 UTC
 */
public record Member(String role, long pid, long startedMillis) {
    /** Role of the only one. */
    public static final String BROKER = "broker";

    /** Role of the only one. */
    public static final String JOB_MANAGER = "jobmanager";

    /** Role of the one that starts TaskManagers again. */
    public static final String WATCH = "watch";

    /** Role of a TaskManager, in front of its number from 1 on. */
    public static final String TASK_MANAGER = "taskmanager-";

    /**
     * By how much one start time may differ when it is read again: Linux counts it from the start
     * of the machine, whose time it gives in whole seconds, and moves with the clock.
     */
    private static final long TOLERANCE_MILLIS = 2_000;

    private static final long KIBI = 1 << 10;

    /** What a file leaves out is refused. */
    public Member {
        Objects.requireNonNull(role);
    }

    /** What a process is known by once this one has ended. */
    static Member of(String role, ProcessHandle process) {
        return new Member(role, process.pid(), started(process));
    }

    private static long started(ProcessHandle process) {
        return process.info().startInstant().map(i -> i.toEpochMilli()).orElse(0L);
    }

    /**
     * The process; empty if it has ended, even where another one has its id by now.
     *
     * <p>Empty once, empty for good: whether it waits to be asked is looked up before whether it is
     * there. The other way round, one that is asked between the two would be there and not wait.
     */
    public Optional<ProcessHandle> process() {
        if (isZombie()) {
            return Optional.empty();
        }
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(p -> Math.abs(started(p) - startedMillis) <= TOLERANCE_MILLIS);
    }

    /** Whether it is the broker. */
    public boolean ofBroker() {
        return role.equals(BROKER);
    }

    /** Whether it runs. */
    public boolean runs() {
        return process().isPresent();
    }

    /** Ended, but nobody has asked how: it keeps its id where process 1 never asks. */
    private boolean isZombie() {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            return stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (IOException e) {
            return false; // ended meanwhile, or a system without /proc
        }
    }

    /** Main memory that it has, in bytes; empty where the system does not tell. */
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
