package dev.sluice.engine.maskfilter;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Kernel;

/** Tuple space search behind a bit matrix over the masks. See the package text. */
public final class MaskFilterAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = MaskFilterCompiler.LABEL;

    /** For the registry. */
    public MaskFilterAlgorithm() {
        super(
                LABEL,
                MaskFilterCompiler.CODE,
                "a bit matrix that leaves a handful of masks; OpenFlow with dozens of masks",
                Capabilities.EVERYTHING,
                MaskFilterCompiler::compile,
                MaskFilterClassifier::new,
                Kernel.plain("classify_mask_filter"));
    }
}
