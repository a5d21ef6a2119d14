package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.lookup.SharedMemoryLayout;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleClassifier;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Tuple space search with relaxed masks. See the package text. */
public final class MergedTupleAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "merged-tuple";

    static final int CODE = 4;

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public MergedTupleAlgorithm() {
        super(
                LABEL,
                CODE,
                "few tables with relaxed masks; rules that change often, OpenFlow, IPv6",
                Capabilities.everything(Updates.IN_PLACE));
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return MergedTupleCompiler.compile(rules, context);
    }

    /** Images without lists of keys are searched table by table. */
    @Override
    public Classifier open(Image image) {
        return KeyLists.has(image) ? new MergedTupleClassifier(image) : new TupleClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(
                Kernel.withParameters(
                        "planned_tuple",
                        MergedTupleAlgorithm::launchShape,
                        MergedTupleKernelParameters::of),
                Kernel.plain(TupleSpaceKernels.TUPLE),
                TupleSpaceKernels.ofPaper("paper_tuple"));
    }

    /** Header words and noted tables of each thread lie in shared memory. */
    private static LaunchShape launchShape(Image image) {
        int tables = image.words()[TupleSpaceLayout.TUPLES_AT];
        int words = image.layout().size() + MergedTupleKernelParameters.noted(tables);
        return LaunchShape.sharing(4 * words * SharedMemoryLayout.THREADS);
    }

    @Override
    public Optional<String> liveKernel() {
        return Optional.of(TupleSpaceKernels.LIVE_TUPLE);
    }

    @Override
    public Optional<Supplier<RuleStructure>> inPlace(
            RuleSet rules, HeaderLayout layout, CompileContext context) {
        return Optional.of(() -> MergedTupleCompiler.live(rules, layout, context));
    }
}
