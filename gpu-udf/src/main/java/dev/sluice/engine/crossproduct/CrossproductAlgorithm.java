package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/**
 * Two longest prefix matches name a cell; the class of all other fields picks its rule. See the
 * package text.
 */
public final class CrossproductAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = CrossproductLayout.LABEL;

    /** For the registry. */
    public CrossproductAlgorithm() {
        super(
                LABEL,
                CrossproductClassifier.CODE,
                "two prefix matches and a class name a cell; 5-tuple policies of any size",
                new Capabilities(
                        "address masks that are no prefixes, IPv4 beside IPv6",
                        Capabilities.ANY_SIZE));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return rules.namesMacs() ? List.of() : List.of(Claim.CANDIDATE);
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return CrossproductCompiler.compile(rules, context.meter(LABEL));
    }

    @Override
    public Classifier open(Image image) {
        return new CrossproductClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(
                Kernel.withParameters(
                        "planned_pairs",
                        image -> LaunchShape.PLAIN,
                        CrossproductKernelParameters::of),
                Kernel.plain("classify_pairs", "crossproduct"));
    }
}
