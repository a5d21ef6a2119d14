package dev.sluice.engine.family;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import java.util.List;

/** An image for each IP version. See the package text. */
public final class FamiliesAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = FamiliesCompiler.LABEL;

    /** The algorithm of each family's rules. */
    public static final AlgorithmOption<AlgorithmChoice> INNER = FamiliesCompiler.INNER;

    /** For the registry. */
    public FamiliesAlgorithm() {
        super(
                LABEL,
                FamiliesCompiler.CODE,
                "an image for each IP version, of any other algorithm; IPv4 and IPv6 in one policy",
                Capabilities.EVERYTHING,
                FamiliesCompiler::compile,
                FamiliesClassifier::new,
                Kernel.plain("classify_families").where(FamiliesAlgorithm::onDevice));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(INNER);
    }

    @Override
    public int nesting() {
        return 1;
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return FamilySplit.narrows(rules.rules())
                ? List.of(Claim.of(Claim.Kind.DIVISION, FamiliesAlgorithm::why))
                : List.of();
    }

    private static String why(Classifier compiled) {
        return "the rules of each IP version look at fewer words: "
                + ((FamiliesClassifier) compiled).description();
    }

    /**
     * Returns whether a device can look into the parts' images: they are looked up within this one.
     */
    private static boolean onDevice(Image image) {
        int[] words = image.words();
        for (int v = 0; v < FamiliesLayout.VALUES; v++) {
            int record = words[FamiliesLayout.PARTS_AT + v];
            if (record != 0
                    && !Algorithm.looksInto(image.within(words[record + FamiliesLayout.INNER]))) {
                return false;
            }
        }
        return true;
    }

    /** Parts whose rules stay keep their images, the others follow as their algorithms let them. */
    @Override
    public BaseCompiler bases(CompileContext context) {
        return new FamiliesBases(context);
    }
}
