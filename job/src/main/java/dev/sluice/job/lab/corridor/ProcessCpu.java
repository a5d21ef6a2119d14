package dev.sluice.job.lab.corridor;

import java.lang.management.ManagementFactory;

/** CPU time of this process. */
public final class ProcessCpu {
    private ProcessCpu() {}

    /** CPU time so far in ns; 0 where it cannot be known. */
    public static long nanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime()
                : 0;
    }
}
