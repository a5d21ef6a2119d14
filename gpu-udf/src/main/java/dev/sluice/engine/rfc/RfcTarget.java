package dev.sluice.engine.rfc;

/**
 * Which algorithm tables are written for.
 *
 * @param label its label
 * @param code number in an image's header
 * @param compressed whether tables may become bitmaps
 */
record RfcTarget(String label, int code, boolean compressed) {
    /** Recursive flow classification: every table is an array. */
    static final RfcTarget PLAIN = new RfcTarget(RfcAlgorithm.LABEL, RfcAlgorithm.CODE, false);

    /** Bitmap-RFC. */
    static final RfcTarget BITMAPS =
            new RfcTarget(BitmapRfcAlgorithm.LABEL, BitmapRfcAlgorithm.CODE, true);
}
