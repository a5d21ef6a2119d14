package dev.sluice.engine.memory;

import org.jspecify.annotations.Nullable;

/**
 * Source of the changes behind a compiled base, for a copy elsewhere, as on a device. Its methods
 * are called by one thread at a time, beside the writer.
 */
public interface ChangeSource {
    /** Returns the words of the rules that came. */
    GrowingWords inserted();

    /** A tick each base rule, at which it went. */
    GrowingWords removed();

    /**
     * The base rules as tuples, in words that never change; null before the first base rule goes.
     */
    int @Nullable [] all();

    /**
     * The newest tick whose words are written and published. To be read before the words: these are
     * then at least as new.
     */
    int tick();
}
