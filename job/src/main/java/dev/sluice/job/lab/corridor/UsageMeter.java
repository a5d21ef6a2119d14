package dev.sluice.job.lab.corridor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads what this process and a broker's use. A thread that ends counts with what it had used when
 * it was read last, so {@link #read} is to be called every second or so. Not thread-safe.
 *
 * <p>Of the JVM's own threads, which its management beans do not show, the CPU time is read from
 * {@code /proc/self/task} where that is there; elsewhere they are in the process's sum alone.
 */
final class UsageMeter {
    private static final Path TASKS = Path.of("/proc/self/task");

    /** User and system time in /proc/PID/stat, counted from behind the name, in ticks of 10 ms. */
    private static final int USER_TIME = 11;

    private static final long TICK_NANOS = 10_000_000;

    /** What a thread has used. */
    private static final class Used {
        final String group;
        long cpuNanos;
        long bytes;

        Used(String group) {
            this.group = group;
        }
    }

    private final List<ProcessHandle> brokers;
    private final List<ProcessHandle> workers;
    private final com.sun.management.ThreadMXBean threads;
    private final Map<Long, Used> javaThreads = new HashMap<>();
    private final Map<String, Used> jvmThreads = new HashMap<>();

    /**
     * A meter.
     *
     * @param brokers whose CPU time is told apart
     * @param workers processes whose CPU time counts in place of this one's; none: this one's, and
     *     its threads'
     */
    UsageMeter(List<ProcessHandle> brokers, List<ProcessHandle> workers) {
        this.brokers = List.copyOf(brokers);
        this.workers = List.copyOf(workers);
        this.threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    }

    /** What was used up to now. */
    Usage read() {
        if (workers.isEmpty()) {
            readJavaThreads();
            readJvmThreads();
        }
        Map<String, Long> cpu = new TreeMap<>();
        Map<String, Long> bytes = new TreeMap<>();
        for (Map<?, Used> all : List.of(javaThreads, jvmThreads)) {
            for (Used used : all.values()) {
                cpu.merge(used.group, used.cpuNanos, Long::sum);
                bytes.merge(used.group, used.bytes, Long::sum);
            }
        }
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionCount();
            millis += collector.getCollectionTime();
        }
        return new Usage(
                System.nanoTime(),
                workers.isEmpty() ? ProcessCpu.nanos() : ProcessCpu.nanos(workers),
                ProcessCpu.nanos(brokers),
                cpu,
                bytes,
                collections,
                millis);
    }

    private void readJavaThreads() {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        long[] cpu = threads.getThreadCpuTime(ids);
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            ThreadInfo info = infos[i];
            if (info == null) {
                continue; // ended meanwhile
            }
            Used used =
                    javaThreads.computeIfAbsent(
                            ids[i], id -> new Used(ThreadGroups.of(info.getThreadName())));
            used.cpuNanos = Math.max(used.cpuNanos, cpu[i]);
            used.bytes = Math.max(used.bytes, bytes[i]);
        }
    }

    private void readJvmThreads() {
        if (!Files.isDirectory(TASKS)) {
            return;
        }
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                readJvmThread(task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the threads of this process cannot be listed", e);
        } catch (DirectoryIteratorException e) {
            throw new UncheckedIOException(
                    "the threads of this process cannot be listed", e.getCause());
        }
    }

    private void readJvmThread(Path task) throws IOException {
        String stat;
        try {
            stat = Files.readString(task.resolve("stat"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
            return; // ended meanwhile
        }
        int end = stat.lastIndexOf(')');
        String group = ThreadGroups.of(stat.substring(stat.indexOf('(') + 1, end));
        if (!group.equals(ThreadGroups.COMPILERS) && !group.equals(ThreadGroups.COLLECTOR)) {
            return;
        }
        String[] fields = stat.substring(end + 2).split(" ", USER_TIME + 3);
        long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1]);
        jvmThreads.computeIfAbsent(task.getFileName().toString(), id -> new Used(group)).cpuNanos =
                ticks * TICK_NANOS;
    }
}
