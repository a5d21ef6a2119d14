package dev.sluice.operators.classify;

/** Calls back when a batch has waited long enough. */
interface FlushTimer {
    /** Runs a callback once, after so many µs or a little later, in a thread of the timer's own. */
    void after(long micros, Runnable callback);
}
