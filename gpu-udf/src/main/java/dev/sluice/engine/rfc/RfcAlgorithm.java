package dev.sluice.engine.rfc;

/** Recursive flow classification. See the package text. */
public final class RfcAlgorithm extends ReductionTreeAlgorithm {
    /** Its label. */
    public static final String LABEL = "rfc";

    static final int CODE = 7;

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public RfcAlgorithm() {
        super(RfcTarget.PLAIN, "tables of class ids; policies up to some thousand rules");
    }
}
