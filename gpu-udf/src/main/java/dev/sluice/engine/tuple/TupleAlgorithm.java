package dev.sluice.engine.tuple;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.tuplespace.TupleSpaceKernels;
import java.util.List;

/** Tuple space search: a cuckoo table a mask. See the package text. */
public final class TupleAlgorithm extends Algorithm {
    /** True if port ranges are cut into prefixes instead of verified. */
    public static final AlgorithmOption<Boolean> EXPAND_RANGES = TupleCompiler.EXPAND_RANGES;

    /** For the registry. */
    public TupleAlgorithm() {
        super(
                TupleCompiler.LABEL,
                TupleCompiler.CODE,
                "a cuckoo table a mask, masks by their best rank; few masks",
                Capabilities.EVERYTHING,
                TupleCompiler::compile,
                TupleClassifier::new,
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
}
