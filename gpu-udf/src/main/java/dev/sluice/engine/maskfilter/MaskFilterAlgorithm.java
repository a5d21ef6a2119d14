package dev.sluice.engine.maskfilter;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;
import dev.sluice.engine.tuplespace.TupleTables;

/** Tuple space search behind a bit matrix over the masks. See the package text. */
public final class MaskFilterAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "mask-filter";

    private static final int CODE = 12;

    /** For the registry. */
    public MaskFilterAlgorithm() {
        super(
                LABEL,
                CODE,
                "a bit matrix that leaves a handful of masks; OpenFlow with dozens of masks",
                Capabilities.EVERYTHING,
                MaskFilterAlgorithm::image,
                MaskFilterAlgorithm::classifier,
                Kernel.plain("classify_mask_filter"));
    }

    /**
     * Chooses keys, inserts all rules into tuples and the matrix before them, and seals the image.
     */
    private static Image image(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        MaskFilterStructure structure =
                new MaskFilterStructure(rules, arena, TupleTables.Settings.DENSE);
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }

    /** Probes the tuples that the bit matrix leaves as candidates. */
    private static Classifier classifier(Image image) {
        return new TupleSpaceClassifier(
                image,
                (search, its, count) -> MatrixSearch.get().search(search, its.words(), count));
    }
}
