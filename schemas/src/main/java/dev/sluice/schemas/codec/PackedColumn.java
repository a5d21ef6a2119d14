package dev.sluice.schemas.codec;

/** A column that is packed straight into the message it travels in, without bytes of its own. */
abstract class PackedColumn implements ColumnBytes {
    int id;
    long base;
    int width;
    int count;

    @Override
    public final int id() {
        return id;
    }

    @Override
    public final long base() {
        return base;
    }

    @Override
    public final int width() {
        return width;
    }

    @Override
    public final int length() {
        return width * count;
    }
}
