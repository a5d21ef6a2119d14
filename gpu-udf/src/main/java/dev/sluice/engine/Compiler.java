package dev.sluice.engine;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;

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
     */
    record Compiled(Classifier classifier, String explanation) {
        /** The algorithm that was used. */
        Algorithm algorithm() {
            return Algorithm.ofCode(classifier.image().algorithm());
        }
    }

    /** What algorithms may use; rules that one passes on come back here. */
    CompileContext context() {
        return new CompileContext(
                options.budgetBytes(),
                options.tuning(),
                (rules, choice, context) ->
                        new Compiler(
                                        options.withAlgorithm(choice)
                                                .withBudget(context.budgetBytes())
                                                .withTuning(context.options()))
                                .compile(rules)
                                .image());
    }

    /** As {@link #compile}, and says why. */
    Compiled compileExplained(RuleSet rules) {
        return options.algorithm()
                .algorithm()
                .map(
                        algorithm ->
                                new Compiled(
                                        compile(rules, algorithm),
                                        algorithm.label() + ": as the options ask for"))
                .orElseGet(() -> new AutoChoice(rules, options).choose());
    }

    /**
     * Compiles a rule set.
     *
     * @throws MemoryBudgetException if its image would pass the budget or what the heap allows
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    Classifier compile(RuleSet rules) {
        return compileExplained(rules).classifier();
    }

    private Classifier compile(RuleSet rules, Algorithm algorithm) {
        return algorithm.open(algorithm.compile(rules, context()));
    }

    /**
     * Compiles the bases that follow one that was compiled by these options: by the same algorithm,
     * as long as it serves them.
     */
    BaseCompiler following(Compiled first, int rules) {
        if (options.algorithm().algorithm().isPresent()) {
            return bases(first.algorithm());
        }
        return new ChosenBases(options, first.algorithm(), rules);
    }

    /** Compiles bases by an algorithm. */
    BaseCompiler bases(Algorithm algorithm) {
        return algorithm.bases(context());
    }
}
