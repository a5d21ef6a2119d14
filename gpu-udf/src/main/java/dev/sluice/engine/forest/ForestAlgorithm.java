package dev.sluice.engine.forest;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.RuleProfile;
import java.util.List;

/** Trees of bit windows whose nodes may have a rest. See the package text. */
public final class ForestAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = ForestBuilder.LABEL;

    /** It is built up to so many rules; on MAC addresses it takes longer. */
    private static final int RULES_UP_TO = 1_500_000;

    private static final int RULES_WITH_MACS_UP_TO = 2_000;

    /** For the registry. */
    public ForestAlgorithm() {
        super(
                LABEL,
                ForestBuilder.CODE,
                "trees of bit windows with rests; policies of many services, masks with holes",
                Capabilities.EVERYTHING,
                ForestCompiler::compile,
                ForestClassifier::new,
                Kernel.plain("classify_forest"));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        int most = rules.namesMacs() ? RULES_WITH_MACS_UP_TO : RULES_UP_TO;
        return rules.rules().size() <= most ? List.of(Claim.CANDIDATE) : List.of();
    }

    /** Subtrees that no change reaches go from one base into the next. */
    @Override
    public BaseCompiler bases(CompileContext context) {
        return ForestCompiler.growing(context.budgetBytes());
    }
}
