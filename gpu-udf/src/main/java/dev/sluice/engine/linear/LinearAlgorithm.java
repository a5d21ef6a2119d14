package dev.sluice.engine.linear;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.lookup.SharedMemoryLayout;
import java.util.List;

/** Every rule laid over a block of headers. See the package text. */
public final class LinearAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = LinearCompiler.LABEL;

    /** Up to so many rules the vector loop over all of them beats every structure. */
    private static final int FEW = 24;

    /** For the registry. */
    public LinearAlgorithm() {
        super(
                LABEL,
                LinearCompiler.CODE,
                "every rule laid over a block of headers; some dozens of rules",
                Capabilities.EVERYTHING,
                (rules, context) -> LinearCompiler.compile(rules, context.meter(LABEL)),
                LinearClassifier::new,
                Kernel.plain("classify_linear"),
                Kernel.ofPaper("paper_linear", LinearAlgorithm::paperShape));
    }

    @Override
    public List<Claim> suits(RuleProfile rules) {
        int n = rules.rules().size();
        return n > FEW
                ? List.of()
                : List.of(
                        Claim.of(
                                Claim.Kind.FEW_RULES, "a vector loop is best for " + n + " rules"));
    }

    private static LaunchShape paperShape(Image image) {
        int parts =
                (image.rules() + SharedMemoryLayout.PAPER_RULES - 1)
                        / SharedMemoryLayout.PAPER_RULES;
        int words = 2 * image.layout().size() + 2;
        return new LaunchShape(
                SharedMemoryLayout.THREADS,
                SharedMemoryLayout.THREADS,
                Math.max(1, parts),
                4 * SharedMemoryLayout.PAPER_RULES * words,
                true);
    }
}
