package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/**
 * A compiled rule set.
 *
 * @param seconds how long compiling took
 * @param explanation why the algorithm was chosen; empty where it was named
 */
record BuiltRules(Classifier classifier, double seconds, String explanation) {
    /**
     * Compiles rules, by the algorithm that {@code auto} chooses for the device if none is named.
     */
    static BuiltRules of(RuleSet rules, EngineOptions options, int device) {
        EngineOptions named = options;
        String explanation = "";
        if (Algorithm.of(options.algorithm()).isEmpty()) {
            EngineOptions onDevice =
                    options.withGpu(new GpuPool.Selection(false, List.of(device)))
                            .withOffload(OffloadPreference.AUTO.decided());
            try (Engine engine = Engine.open(rules, onDevice)) {
                RuleSetVersion version = engine.current();
                explanation = version.explanation();
                named =
                        options.withAlgorithm(
                                version.deviceAlgorithm().orElse(version.algorithm()));
            }
        }
        long start = System.nanoTime();
        Classifier classifier = Engine.compile(rules, named);
        return new BuiltRules(classifier, (System.nanoTime() - start) / 1e9, explanation);
    }

    Image image() {
        return classifier.image();
    }

    /** Label of the algorithm that was used. */
    String algorithm() {
        return Algorithm.ofCode(image().algorithm()).label();
    }
}
