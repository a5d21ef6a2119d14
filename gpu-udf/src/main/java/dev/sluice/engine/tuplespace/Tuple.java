package dev.sluice.engine.tuplespace;

/**
 * A tuple of tuple space search: the rules that are looked up under one mask. Its record in the
 * arena ({@link TupleSpaceLayout} has the words) is what look-ups read; this is what the writer
 * knows besides. Written by {@link TupleTables} only, but for {@link #number}. Not thread-safe.
 */
public final class Tuple {
    /** The mask in the layout's words: what its rules' keys are cut to. Do not change. */
    public final int[] mask;

    /** Offset of its record. */
    public final int record;

    /** Position in the order of tuples. */
    int position;

    /** Distinct keys of its rules. */
    public int keys;

    /** Rules. */
    public int rules;

    /** Best rank of its rules, or a better one: removing a rule leaves it as it is. */
    int best = Integer.MAX_VALUE;

    /** How often its hash constants were chosen: each time other ones. */
    int generation;

    /** A number for the algorithm that uses the tuples, -1 where it gives none. */
    public int number = -1;

    /** True if its memory was given back, with its last rule. */
    public boolean closed;

    Tuple(int[] mask, int record) {
        this.mask = mask;
        this.record = record;
    }
}
