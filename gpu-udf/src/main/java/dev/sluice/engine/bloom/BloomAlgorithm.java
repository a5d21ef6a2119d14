package dev.sluice.engine.bloom;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import java.util.List;

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
                Capabilities.EVERYTHING);
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return BloomCompiler.compile(rules, context);
    }

    @Override
    public Classifier open(Image image) {
        return new BloomClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(Kernel.plain("classify_bloom"), TupleSpaceKernels.ofPaper("paper_bloom"));
    }
}
