package dev.sluice.engine.rfc;

import dev.sluice.engine.lookup.AlgorithmOption;

/** Tables of RFC and Bitmap-RFC. */
public enum RfcForm {
    /** Six chunks without the protocol, class counts rounded to powers of two. */
    PAPER,
    /** Every field; for Bitmap-RFC, pieces of 32 entries with eight elements. */
    EXACT,
    /**
     * Every field; for Bitmap-RFC, pieces and elements by the histogram of each table, and plain is
     * only what does not get smaller.
     */
    COMPRESSED,
    /** Every field; as compressed, but tables that the caches hold stay plain. */
    TUNED;

    /** Which tables are written. */
    public static final AlgorithmOption<RfcForm> OPTION =
            AlgorithmOption.constant(
                    "rfc-form",
                    TUNED,
                    "rfc, bitmap-rfc: paper (no protocol), exact, compressed or tuned tables");
}
