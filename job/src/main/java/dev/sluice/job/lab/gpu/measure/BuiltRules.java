package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;

/**
 * A compiled rule set.
 *
 * @param seconds how long compiling took
 */
record BuiltRules(Classifier classifier, double seconds) {
    /**
     * Compiles within the default budget.
     *
     * @param algorithm label of an algorithm, or auto
     */
    static BuiltRules of(RuleSet rules, String algorithm) {
        return of(rules, EngineOptions.DEFAULTS.withAlgorithm(AlgorithmChoice.parse(algorithm)));
    }

    static BuiltRules of(RuleSet rules, EngineOptions options) {
        long start = System.nanoTime();
        Classifier classifier = Engine.compile(rules, options);
        return new BuiltRules(classifier, (System.nanoTime() - start) / 1e9);
    }

    Image image() {
        return classifier.image();
    }

    /** Label of the algorithm that was used. */
    String algorithm() {
        return Algorithm.ofCode(image().algorithm()).label();
    }
}
