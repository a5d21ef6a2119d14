package dev.sluice.engine;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * Compiles rule sets by the algorithm that the options name, or by the one that is chosen for them.
 * Thread-safe.
 *
 * @param options what to compile for
 */
record Compiler(EngineOptions options) {
    /**
     * A compiled rule set and why it was compiled so.
     *
     * @param explanation one readable line
     * @param forDevice what was chosen for a device, null where nothing was measured there
     */
    record Compiled(Classifier classifier, String explanation, @Nullable ForDevice forDevice) {
        /** A compiled rule set of which nothing was measured on a device. */
        Compiled(Classifier classifier, String explanation) {
            this(classifier, explanation, null);
        }

        /** The same with what a device looks into. */
        Compiled with(@Nullable ForDevice choice) {
            return new Compiled(classifier, explanation, choice);
        }

        /** The algorithm of the CPU. */
        Algorithm algorithm() {
            return Algorithm.ofCode(classifier.image().algorithm());
        }

        /** Image that a device looks into: the CPU's, or another one of the same rules. */
        Image deviceImage() {
            return forDevice == null ? classifier.image() : forDevice.image();
        }

        /** The algorithm of a device. */
        Algorithm deviceAlgorithm() {
            return Algorithm.ofCode(deviceImage().algorithm());
        }

        /** Why the rules were compiled so, for the CPU and for a device. */
        String explanationOnDevice() {
            return forDevice == null
                    ? explanation
                    : "on the CPU " + explanation + "; " + forDevice.explanation();
        }
    }

    /**
     * Choice for a device.
     *
     * @param image the CPU's own where that is best, too
     * @param explanation a phrase
     */
    record ForDevice(Image image, String explanation) {}

    /** Means that algorithms may use; rules that one passes on come back here. */
    CompileContext context() {
        return new CompileContext(options.budgetBytes(), options.tuning(), new PassedOn(options));
    }

    /** Compiles what an algorithm passes on. */
    private record PassedOn(EngineOptions options) implements CompileContext.Others {
        private Compiler compiler(AlgorithmChoice choice, CompileContext context) {
            return new Compiler(
                    options.withAlgorithm(choice)
                            .withBudget(context.budgetBytes())
                            .withTuning(context.options()));
        }

        @Override
        public Image compile(RuleSet rules, AlgorithmChoice choice, CompileContext context) {
            return compiler(choice, context).compile(rules).image();
        }

        @Override
        public BaseCompiler bases(AlgorithmChoice choice, CompileContext context) {
            Compiler compiler = compiler(choice, context);
            return choice.algorithm()
                    .map(compiler::bases)
                    .orElseGet(() -> new BasesChosenLater(compiler.options));
        }
    }

    /**
     * As {@link #compile}, for a device, too, and says why.
     *
     * @param device null for none
     */
    Compiled compileExplained(RuleSet rules, GpuPool.@Nullable Use device) {
        return options.algorithm()
                .algorithm()
                .map(
                        algorithm ->
                                new Compiled(
                                        compile(rules, algorithm),
                                        algorithm.label() + ": as the options ask for"))
                .orElseGet(() -> new AutoChoice(rules, options, device).choose());
    }

    /**
     * Compiles a rule set.
     *
     * @throws MemoryBudgetException if its image would pass the budget or what the heap allows
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    Classifier compile(RuleSet rules) {
        return compileExplained(rules, null).classifier();
    }

    private Classifier compile(RuleSet rules, Algorithm algorithm) {
        return algorithm.open(algorithm.compile(rules, context()));
    }

    /**
     * Compiles the bases that follow one that was compiled by these options: by the same
     * algorithms, as long as they serve them.
     *
     * @param device as for the first one
     */
    FollowingBases following(Compiled first, int rules, GpuPool.@Nullable Use device) {
        if (options.algorithm().algorithm().isEmpty()) {
            return new ChosenBases(options, first, rules, device);
        }
        BaseCompiler bases = bases(first.algorithm());
        String explanation = first.explanation();
        return (next, onDevice) -> new Compiled(bases.compile(next), explanation);
    }

    /** Compiles bases by an algorithm. */
    BaseCompiler bases(Algorithm algorithm) {
        return algorithm.bases(context());
    }
}
