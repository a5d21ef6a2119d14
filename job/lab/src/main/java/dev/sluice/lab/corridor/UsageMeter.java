package dev.sluice.lab.corridor;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Meter of what the job's processes and the brokers use. A thread that ends counts with what it had
 * used when it was read last, so {@link #read} is to be called every second or so. Not thread-safe.
 */
final class UsageMeter {
    /** Groups by the beginnings of threads' names. */
    private static final Map<String, String> GROUPS =
            Map.ofEntries(
                    Map.entry(Usage.BENCH_THREAD, Usage.BENCH),
                    Map.entry("Source Data Fetcher", "fetcher"),
                    Map.entry("Source: packets", "source"),
                    Map.entry("classify", "classify and sink"),
                    Map.entry("verdicts: to commit", "commit"),
                    Map.entry("next transaction", "commit"),
                    Map.entry("worker of classify", "look-up and encoding"),
                    Map.entry("kafka-producer-network-thread", "producer"),
                    Map.entry("batch clock", "batch clock"));

    /** Use of one thread. */
    private static final class Used {
        final String group;
        long cpuNanos;
        long bytes;

        Used(String thread) {
            group =
                    GROUPS.entrySet().stream()
                            .filter(g -> thread.startsWith(g.getKey()))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElse("other");
        }
    }

    private final Site site;
    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Map<Long, Used> byThread = new HashMap<>();

    /** Creates a meter for the processes of a site. */
    UsageMeter(Site site) {
        this.site = site;
    }

    /** Returns what was used up to now. */
    Usage read() {
        boolean here = site.workers().isEmpty();
        if (here) {
            readThreads();
        }
        Map<String, Long> cpu = new TreeMap<>();
        Map<String, Long> bytes = new TreeMap<>();
        for (Used used : byThread.values()) {
            cpu.merge(used.group, used.cpuNanos, Long::sum);
            bytes.merge(used.group, used.bytes, Long::sum);
        }
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionCount();
            millis += collector.getCollectionTime();
        }
        return new Usage(
                here ? system.getProcessCpuTime() : cpuNanos(site.workers()),
                cpuNanos(site.brokers()),
                cpu,
                bytes,
                collections,
                millis);
    }

    /** CPU time of processes so far, in ns; 0 of those of which it is not known. */
    static long cpuNanos(List<ProcessHandle> processes) {
        return processes.stream()
                .mapToLong(p -> p.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
                .sum();
    }

    private void readThreads() {
        long[] ids = threads.getAllThreadIds();
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        long[] cpu = threads.getThreadCpuTime(ids);
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            ThreadInfo info = infos[i];
            if (info == null) {
                continue; // ended meanwhile
            }
            Used used = byThread.computeIfAbsent(ids[i], id -> new Used(info.getThreadName()));
            used.cpuNanos = Math.max(used.cpuNanos, cpu[i]);
            used.bytes = Math.max(used.bytes, bytes[i]);
        }
    }
}
