package dev.sluice.engine.tuplespace;

import java.util.Arrays;

/** What the writer knows of a class beside its record. */
public final class Tuple {
    public final int[] mask;
    public final int record;

    /** Position in the order of classes. */
    int place;

    /** What slots name it by. */
    int id;

    /** Distinct keys. */
    public int keys;

    /** Rules. */
    public int rules;

    /** Best rank in the class, or better than it: removals leave it. */
    int best = Integer.MAX_VALUE;

    /** Rehashes so far: each takes new constants and a new seed. */
    int generation;

    /** How many keys set each bit of the filter; 255 stays. */
    byte[] counters = {};

    /** Number of the class where classes are numbered. */
    public int number = -1;

    /** Given back with its last rule. */
    public boolean closed;

    Tuple(int[] mask, int record) {
        this.mask = mask;
        this.record = record;
    }

    int terms() {
        return (int) Arrays.stream(mask).filter(m -> m != 0).count();
    }
}
