package dev.sluice.engine.bitvector;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/** A bitvector a range of each field, aggregated. See the package text. */
public final class BitvectorAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = BitvectorCompiler.LABEL;

    /** For the registry. */
    public BitvectorAlgorithm() {
        super(
                LABEL,
                BitvectorCompiler.CODE,
                "a bitvector a range, aggregated; hundreds of rules, GPU",
                new Capabilities("masks that are no prefixes", 12_000));
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return BitvectorCompiler.compile(rules, context.meter(LABEL));
    }

    @Override
    public Classifier open(Image image) {
        return new BitvectorClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(
                Kernel.plain("classify_bitvector"),
                Kernel.ofPaper("paper_bitvector", BitvectorAlgorithm::paperShape));
    }

    /** A warp a field of a packet. */
    private static LaunchShape paperShape(Image image) {
        int fields = BitvectorCompiler.fields(image);
        int packets = fields == 0 ? 1 : 32 / fields;
        return new LaunchShape(32 * packets * Math.max(1, fields), packets, 1, 0, false);
    }
}
