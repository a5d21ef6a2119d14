package dev.sluice.engine.routes;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import java.util.List;

/**
 * Longest prefix match of one address: DIR-24-8, or binary search on lengths. See the package text.
 */
public final class RouteAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = RouteCompiler.LABEL;

    /** For the registry. */
    public RouteAlgorithm() {
        super(
                LABEL,
                RouteCompiler.CODE,
                "DIR-24-8, binary search on lengths; prefixes of one address",
                new Capabilities(
                        "rules that name more than the prefix of one address",
                        Capabilities.ANY_SIZE),
                (rules, context) -> RouteCompiler.compile(rules, context.meter(LABEL)),
                RouteClassifier::new,
                Kernel.plain("classify_routes"));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return RouteCompiler.namesOneAddress(rules.rules()) ? List.of(Claim.CANDIDATE) : List.of();
    }
}
