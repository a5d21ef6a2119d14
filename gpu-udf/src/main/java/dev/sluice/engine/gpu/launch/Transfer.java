package dev.sluice.engine.gpu.launch;

/** How headers reach the kernel, and verdicts the host. */
public enum Transfer {
    /** Copied to device memory and back; copies of one batch run beside the kernel of another. */
    COPY,
    /** The kernel reads and writes pinned host memory over the bus (Schramm's thesis, §3.1). */
    MAPPED
}
