package dev.sluice.engine.bloom;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Tuple space search with a Bloom filter before each table. See the package text. */
public final class BloomAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "bloom";

    private static final int CODE = 5;

    /** For the registry. */
    public BloomAlgorithm() {
        super(
                LABEL,
                CODE,
                "filters in front of the tables; many masks, few matches",
                Capabilities.EVERYTHING,
                BloomAlgorithm::image,
                BloomAlgorithm::classifier,
                Kernel.plain("classify_bloom"),
                TupleSpaceKernels.ofPaper("paper_bloom"));
    }

    /** Inserts all rules into a tuple and its filter for each mask, and seals the image. */
    private static Image image(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        TupleSpaceStructure structure = structure(rules.layout(), arena);
        structure.tables().reserve(rules.size());
        for (int position = 0; position < rules.size(); position++) {
            structure.insert(position, position, rules.rules().get(position).match());
        }
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }

    /** Tests the Bloom filters of 32 tuples before any of their tables is touched. */
    private static Classifier classifier(Image image) {
        return new TupleSpaceClassifier(
                image,
                (search, its, count) -> BloomSearch.get().search(search, its.words(), count));
    }

    /** An empty structure whose tuples have a filter each. */
    static TupleSpaceStructure structure(HeaderLayout layout, Arena arena) {
        return new TupleSpaceStructure(
                new TupleTables(layout, arena, TupleTables.Settings.DENSE, new BloomFilters()));
    }
}
