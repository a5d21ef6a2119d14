package dev.sluice.engine.bitvector;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;

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
                new Capabilities("masks that are no prefixes", 12_000),
                (rules, context) -> BitvectorCompiler.compile(rules, context.meter(LABEL)),
                BitvectorClassifier::new,
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
