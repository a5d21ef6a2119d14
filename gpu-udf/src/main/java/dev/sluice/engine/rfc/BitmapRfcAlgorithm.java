package dev.sluice.engine.rfc;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.Capabilities.Updates;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/** Recursive flow classification with tables as bitmaps. See the package text. */
public final class BitmapRfcAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "bitmap-rfc";

    static final int CODE = 8;

    private static final long serialVersionUID = 1L;

    /** For the registry. */
    public BitmapRfcAlgorithm() {
        super(
                LABEL,
                CODE,
                "tables of class ids as bitmaps; policies up to some thousand rules",
                new Capabilities(
                        Updates.OVERLAY, "rules whose class tables pass the budget", 20_000));
    }

    @Override
    public List<AlgorithmOption<?>> options() {
        return List.of(RfcForm.OPTION);
    }

    @Override
    public Image compile(RuleSet rules, CompileContext context) {
        return RfcCompiler.compile(rules, context, RfcTarget.BITMAPS);
    }

    @Override
    public Classifier open(Image image) {
        return new RfcClassifier(image);
    }

    @Override
    public List<Kernel> kernels() {
        return List.of(Kernel.plain("classify_rfc"));
    }

    /** A line a table. */
    @Override
    public List<String> report(RuleSet rules, CompileContext context) {
        return RfcCompiler.report(rules, context, RfcTarget.BITMAPS);
    }
}
