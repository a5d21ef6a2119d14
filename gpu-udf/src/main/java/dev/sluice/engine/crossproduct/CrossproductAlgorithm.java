package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleProfile;
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
                        Capabilities.ANY_SIZE),
                (rules, context) -> CrossproductCompiler.compile(rules, context.meter(LABEL)),
                CrossproductClassifier::new,
                Kernel.withParameters(
                        "planned_pairs",
                        image -> LaunchShape.PLAIN,
                        CrossproductKernelParameters::of),
                Kernel.plain("classify_pairs", "crossproduct"));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return rules.namesMacs() ? List.of() : List.of(Claim.CANDIDATE);
    }
}
