package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Tuple space search behind a bit matrix over the masks. See the package text. */
public final class MaskFilterAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = MaskFilterCompiler.LABEL;

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public MaskFilterAlgorithm() {
        super(
                LABEL,
                MaskFilterCompiler.CODE,
                "a bit matrix that leaves a handful of masks; OpenFlow with dozens of masks",
                Capabilities.everything(Updates.IN_PLACE));
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

    @Override
    public Optional<String> liveKernel() {
        return Optional.of("live_mask_filter");
    }

    @Override
    public Optional<Supplier<RuleStructure>> inPlace(
            RuleSet rules, HeaderLayout layout, CompileContext context) {
        return Optional.of(() -> MaskFilterCompiler.live(rules, layout, context));
    }
}
