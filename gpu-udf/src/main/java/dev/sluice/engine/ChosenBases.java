package dev.sluice.engine;

import dev.sluice.engine.Compiler.Compiled;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BaseCompiler;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bases of rules that change by the algorithm that {@code auto} chose for the first one. It chooses
 * again when the rules have become half or twice as many, or are what the algorithm cannot serve.
 */
final class ChosenBases implements BaseCompiler {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenBases.class);

    /** Fewer rules than any base has. */
    private static final int NONE = -1;

    private final EngineOptions options;
    private BaseCompiler chosen;
    private long chosenFor;

    /**
     * The bases that follow a first one.
     *
     * @param algorithm what was chosen for the first one
     * @param rules how many rules the first one has
     */
    ChosenBases(EngineOptions options, Algorithm algorithm, int rules) {
        this.options = options;
        this.chosen = basesOf(algorithm);
        this.chosenFor = rules;
    }

    /** Bases of which the first one is yet to come: it is chosen for. */
    ChosenBases(EngineOptions options) {
        this(options, Algorithm.of("linear"), NONE);
    }

    private BaseCompiler basesOf(Algorithm algorithm) {
        long budget = AutoChoice.budget(algorithm, options);
        return new Compiler(options.withBudget(budget)).bases(algorithm);
    }

    @Override
    public synchronized Classifier compile(RuleSet rules) {
        if (2L * rules.size() >= chosenFor && rules.size() <= 2 * chosenFor) {
            try {
                return chosen.compile(rules);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                LOG.info("choosing an algorithm for '{}' again: {}", rules.name(), e.getMessage());
            }
        }
        Compiled compiled = new AutoChoice(rules, options).choose();
        chosen = basesOf(compiled.algorithm());
        chosenFor = rules.size();
        return compiled.classifier();
    }
}
