package dev.sluice.engine.linear;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Claim;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.lookup.SharedMemoryLayout;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/** Every rule laid over a block of headers. See the package text. */
public final class LinearAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "linear";

    private static final int CODE = 1;

    /** Up to so many rules the vector loop over all of them beats every structure. */
    private static final int FEW = 24;

    /** For the registry. */
    public LinearAlgorithm() {
        super(
                LABEL,
                CODE,
                "every rule laid over a block of headers; some dozens of rules",
                Capabilities.EVERYTHING,
                LinearAlgorithm::image,
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

    /** Writes the rules in total order. */
    private static Image image(RuleSet rules, CompileContext context) {
        BuildMeter meter = context.meter(LABEL);
        WordWriter out = new WordWriter(LABEL, meter.budgetBytes());
        meter.work((long) rules.size() * RuleTable.stride(rules, 0));
        out.set(LinearLayout.TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(LinearLayout.STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(LinearLayout.RANGES_AT, rules.hasRanges() ? 1 : 0);
        return Image.seal(out.toArray(), CODE, rules.layout(), rules.size());
    }
}
