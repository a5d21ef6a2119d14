package dev.sluice.engine.toy;

/** {@link ToyAlgorithm} without its look-up for the GPU, as a new algorithm may begin. */
public final class ToyOfTheCpu extends ToyAlgorithm {
    /** Its label. */
    public static final String LABEL = "toy-of-the-cpu";

    private static final int CODE = 9_998;

    /** For the registry. */
    public ToyOfTheCpu() {
        super(LABEL, CODE);
    }
}
