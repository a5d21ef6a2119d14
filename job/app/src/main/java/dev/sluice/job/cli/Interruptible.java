package dev.sluice.job.cli;

import org.jspecify.annotations.Nullable;

/**
 * A command that knows more than how many lines it has printed when Ctrl-C, or another signal, ends
 * it.
 */
public interface Interruptible {
    /** Says it itself, in its own thread. */
    String ITSELF = "";

    /**
     * What was done and what is left, for the last line; {@link #ITSELF} if the command prints that
     * line itself; null if how many lines it has printed says all. Called by another thread than
     * the command's, while that goes on.
     */
    @Nullable String whereItStands();
}
