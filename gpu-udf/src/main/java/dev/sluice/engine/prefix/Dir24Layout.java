package dev.sluice.engine.prefix;

/**
 * Layout of the tables of {@link Dir24}, in words.
 *
 * <pre>
 * record  table of 2^24 entries | blocks of 256 entries | 1 if entries have 16 bits
 * entry   0: none; v: result v - 1; top bit set: number of a block
 * </pre>
 */
public final class Dir24Layout {
    /** Offset of the entries of the addresses' upper bits. */
    static final int TABLE = 0;

    /** Offset of the first block. */
    static final int BLOCKS = 1;

    /** 1 if entries have 16 bits, 0 if they have 32. */
    public static final int NARROW = 2;

    /** Size of the record in words. */
    static final int RECORD = 3;

    /** Bits of an address that the table takes. */
    static final int TOP_BITS = 24;

    /** Bits of an address that a block takes. */
    static final int BLOCK_BITS = 32 - TOP_BITS;

    /** Entries of a block. */
    static final int BLOCK = 1 << BLOCK_BITS;

    /** Marks an entry of 16 bits that names a block. */
    static final int NARROW_FLAG = 0x8000;

    /** Marks an entry of 32 bits that names a block. */
    static final int WIDE_FLAG = Integer.MIN_VALUE;

    private Dir24Layout() {}
}
