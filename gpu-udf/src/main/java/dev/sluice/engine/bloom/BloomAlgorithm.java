package dev.sluice.engine.bloom;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;

/** Tuple space search with a Bloom filter before each table. See the package text. */
public final class BloomAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = BloomCompiler.LABEL;

    /** For the registry. */
    public BloomAlgorithm() {
        super(
                LABEL,
                BloomCompiler.CODE,
                "filters in front of the tables; many masks, few matches",
                Capabilities.EVERYTHING,
                BloomCompiler::compile,
                BloomClassifier::new,
                Kernel.plain("classify_bloom"),
                TupleSpaceKernels.ofPaper("paper_bloom"));
    }
}
