package dev.sluice.engine.tuple;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuplespace.TupleSpaceClassifier;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import java.util.List;

/** Tuple space search: a cuckoo table a mask. See the package text. */
public final class TupleAlgorithm extends Algorithm {
    private static final String LABEL = "tuple";
    private static final int CODE = 2;

    /** True if port ranges are cut into prefixes instead of verified. */
    public static final AlgorithmOption<Boolean> EXPAND_RANGES =
            AlgorithmOption.flag(
                    "expand-ranges",
                    "tuple: cut port ranges into prefixes instead of verifying them");

    /** For the registry. */
    public TupleAlgorithm() {
        super(
                LABEL,
                CODE,
                "a cuckoo table a mask, masks by their best rank; few masks",
                Capabilities.EVERYTHING,
                TupleAlgorithm::image,
                TupleSpaceClassifier::inOrder,
                Kernel.plain(TupleSpaceKernels.TUPLE),
                TupleSpaceKernels.ofPaper("paper_tuple"));
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

    /** Inserts all rules into a tuple for each mask, and seals the image. */
    private static Image image(RuleSet rules, CompileContext context) {
        Arena arena = new Arena(context.meter(LABEL));
        boolean expand = context.get(EXPAND_RANGES);
        TupleSpaceStructure structure =
                new TupleSpaceStructure(
                        new TupleTables(rules.layout(), arena, TupleTables.Settings.DENSE));
        if (!expand) {
            structure.tables().reserve(rules.size());
        }
        int slot = 0;
        for (int position = 0; position < rules.size(); position++) {
            Match match = rules.rules().get(position).match();
            if (expand && match.hasRange()) {
                for (Match piece : match.prefixes()) {
                    structure.insert(slot++, position, piece);
                }
            } else {
                structure.insert(slot++, position, match);
            }
        }
        return Image.seal(arena.toArray(), CODE, rules.layout(), rules.size());
    }
}
