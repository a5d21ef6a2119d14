package dev.sluice.engine.rfc;

/** Recursive flow classification with tables as bitmaps. See the package text. */
public final class BitmapRfcAlgorithm extends ReductionTreeAlgorithm {

    /** For the registry. */
    public BitmapRfcAlgorithm() {
        super(
                RfcTarget.BITMAPS,
                "tables of class ids as bitmaps; policies up to some thousand rules");
    }
}
