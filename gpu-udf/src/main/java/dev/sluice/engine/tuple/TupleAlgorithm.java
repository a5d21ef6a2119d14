package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Tuple space search: a cuckoo table a mask. See the package text. */
public final class TupleAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "tuple";

    static final int CODE = 2;

    /** True if port ranges are cut into prefixes instead of verified. */
    public static final AlgorithmOption<Boolean> EXPAND_RANGES =
            AlgorithmOption.flag(
                    "expand-ranges",
                    "tuple: cut port ranges into prefixes instead of verifying them");

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public TupleAlgorithm() {
        super(
                LABEL,
                CODE,
                "a cuckoo table a mask, masks by their best rank; few masks",
                Capabilities.everything(Updates.IN_PLACE));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(EXPAND_RANGES);
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        // The smallest of all, and it serves all rules.
        return List.of(Claim.of(Claim.Kind.LAST_RESORT, "nothing else fits"));
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return TupleCompiler.compile(rules, context);
    }

    @Override
    public Classifier open(Image image) {
        return new TupleClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(
                Kernel.plain(TupleSpaceKernels.TUPLE), TupleSpaceKernels.ofPaper("paper_tuple"));
    }

    @Override
    public Optional<String> liveKernel() {
        return Optional.of(TupleSpaceKernels.LIVE_TUPLE);
    }

    @Override
    public Optional<Supplier<RuleStructure>> inPlace(
            RuleSet rules, HeaderLayout layout, CompileContext context) {
        return Optional.of(() -> TupleCompiler.live(layout, context));
    }
}
