package dev.sluice.engine.routes;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Longest prefix match of one address: DIR-24-8, or binary search on lengths. See the package text.
 */
public final class RouteAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "routes";

    static final int CODE = 11;

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public RouteAlgorithm() {
        super(
                LABEL,
                CODE,
                "DIR-24-8, binary search on lengths; prefixes of one address",
                new Capabilities(
                        Updates.IN_PLACE,
                        "rules that name more than the prefix of one address",
                        Capabilities.ANY_SIZE));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        return RouteCompiler.namesOneAddress(rules.rules()) ? List.of(Claim.CANDIDATE) : List.of();
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return RouteCompiler.compile(rules, context.meter(LABEL));
    }

    @Override
    public Classifier open(Image image) {
        return new RouteClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(Kernel.plain("classify_routes"));
    }

    /** IPv4 prefixes only. */
    @Override
    public Optional<Supplier<RuleStructure>> inPlace(
            RuleSet rules, HeaderLayout layout, CompileContext context) {
        if (!RouteCompiler.isIpv4(rules)) {
            return Optional.empty();
        }
        return Optional.of(() -> new RouteStructure(rules, layout, context.budgetBytes()));
    }
}
