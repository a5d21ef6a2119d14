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
     * Describes what was done and what is left, for the last line; called by another thread while
     * the command runs.
     *
     * <p>{@link #ITSELF} if the command prints that line itself; null if the number of printed
     * lines suffices.
     */
    @Nullable String whereItStands();
}
