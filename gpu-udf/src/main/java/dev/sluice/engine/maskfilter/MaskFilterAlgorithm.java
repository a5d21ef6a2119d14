package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

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
                Capabilities.EVERYTHING);
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return MaskFilterCompiler.compile(rules, context);
    }

    @Override
    public Classifier open(Image image) {
        return new MaskFilterClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(Kernel.plain("classify_mask_filter"));
    }
}
