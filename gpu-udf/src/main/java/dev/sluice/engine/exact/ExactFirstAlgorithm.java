package dev.sluice.engine.exact;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import java.util.List;

/** Exact entries before the wildcard rules. See the package text. */
public final class ExactFirstAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = ExactFirstCompiler.LABEL;

    /** True if an exact entry beats every wildcard rule, as OpenFlow 0.8.9 has it. */
    public static final AlgorithmOption<Boolean> EXACT_WINS = ExactFirstCompiler.EXACT_WINS;

    /** The algorithm of the wildcard rules of a compiled image. */
    public static final AlgorithmOption<AlgorithmChoice> INNER = ExactFirstCompiler.INNER;

    /** For the registry. */
    public ExactFirstAlgorithm() {
        super(
                ExactFirstCompiler.LABEL,
                ExactFirstCompiler.CODE,
                "exact entries before any other algorithm; flow tables",
                Capabilities.EVERYTHING,
                ExactFirstCompiler::compile,
                ExactFirstClassifier::new,
                Kernel.plain("classify_exact_first").where(ExactFirstAlgorithm::innerHasLookUp));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(EXACT_WINS, INNER);
    }

    /** The wildcard rules may be in an image for each IP version. */
    @Override
    public int nesting() {
        return 2;
    }

    /**
     * Returns whether a device can look into the wildcard rules' image: it is looked up within this
     * one.
     */
    private static boolean innerHasLookUp(Image image) {
        int[] words = image.words();
        int head = words[TupleSpaceLayout.EXTRA_AT];
        return Algorithm.looksInto(image.within(words[head + ExactFirstLayout.INNER]));
    }

    /** An exact entry that wins over every wildcard rule may be the worse rule. */
    @Override
    public boolean givesBestRule(AlgorithmOptions options) {
        return !options.get(EXACT_WINS);
    }
}
