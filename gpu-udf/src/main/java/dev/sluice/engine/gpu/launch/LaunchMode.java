package dev.sluice.engine.gpu.launch;

/** How a kernel comes to a batch (Schramm's thesis, §3.2). */
public enum LaunchMode {
    /** A launch for each batch, and the caller waits for it: one batch at a time. */
    ON_DEMAND,
    /** A launch for each batch, several under way. */
    ASYNCHRONOUS,
    /** A kernel that stays on the device and takes batches from a ring in host memory. */
    PERSISTENT
}
