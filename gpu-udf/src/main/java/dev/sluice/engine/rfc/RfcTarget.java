package dev.sluice.engine.rfc;

/**
 * Algorithm that tables are written for.
 *
 * @param label its label
 * @param code number in an image's header
 * @param compressed whether tables may become bitmaps
 */
record RfcTarget(String label, int code, boolean compressed) {
    /** Recursive flow classification: every table is an array. */
    static final RfcTarget PLAIN = new RfcTarget("rfc", 7, false);

    /** Bitmap-RFC. */
    static final RfcTarget BITMAPS = new RfcTarget("bitmap-rfc", 8, true);
}
