package dev.sluice.job.lab.corridor;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;

/** CPU time of processes. */
public final class ProcessCpu {
    private ProcessCpu() {}

    /** CPU time of this process so far in ns; 0 where it cannot be known. */
    public static long nanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime()
                : 0;
    }

    /** CPU time so far in ns of processes that run; 0 for those of which it is not known. */
    static long nanos(List<ProcessHandle> processes) {
        return processes.stream()
                .mapToLong(p -> p.info().totalCpuDuration().map(Duration::toNanos).orElse(0L))
                .sum();
    }
}
