package dev.sluice.schemas.codec;

/** A column as it is written: what a {@link Column} says of itself, and bytes in their place. */
interface ColumnBytes {
    int id();

    long base();

    int width();

    /** Bytes of all values. */
    int length();

    /** Writes the bytes of all values. */
    void copyTo(byte[] target, int at);
}
