package dev.sluice.engine.memory;

/**
 * Words that one writer adds to and changes only so that who reads an older state of some of them
 * finds nothing wrong, as versions need it whose readers never wait. One reader at a time may keep
 * a copy of them elsewhere: it reads {@link WrittenRuns#end}, then the words of the runs before it.
 */
public interface GrowingWords {
    /**
     * The words; another array after they have grown, which is published with its content. Words
     * behind {@link #size} are 0.
     */
    int[] words();

    /** Words in use: no run ends behind them. */
    int size();

    /** What was written. */
    WrittenRuns written();
}
