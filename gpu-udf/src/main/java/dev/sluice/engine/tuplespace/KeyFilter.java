package dev.sluice.engine.tuplespace;

/**
 * Filter beside the cuckoo table of each tuple, which tells without reading the table that a
 * header's key is not in it. {@link TupleTables} reports every key that comes.
 */
public interface KeyFilter {
    /** A tuple was opened; it has no key yet. */
    void opened(TupleTables tables, Tuple tuple);

    /** The tuple gets a new key, that of a slot's rule: counted, but not yet in the table. */
    void added(TupleTables tables, Tuple tuple, int slot);

    /** The tuple has other seeds; its keys are those reported. */
    void rehashed(TupleTables tables, Tuple tuple);
}
