package dev.sluice.engine.lookup;

/** What an image is arranged for. Its format is the same: every backend reads either. */
public enum TargetProfile {
    /** Whole classes. */
    CPU,
    /** Classes split into parts that fit the shared memory of a multiprocessor. */
    GPU
}
