package dev.sluice.engine.choice;

import dev.sluice.engine.gpu.GpuPool;
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
 * Compiler of rule sets by the algorithm that the options name, or by the one that is chosen for
 * them. Rules that an algorithm passes on come back here. Thread-safe.
 *
 * @param options options of each compile
 */
public record Compiler(CompileOptions options) implements CompileContext.Others {
    /** Means that algorithms may use. */
    public CompileContext context() {
        return options.context(this);
    }

    /** The compiler of rules that an algorithm passes on. */
    private Compiler within(AlgorithmChoice choice, CompileContext context) {
        return new Compiler(
                new CompileOptions(
                        choice,
                        context.budgetBytes(),
                        options.updatesPerSecond(),
                        context.options()));
    }

    @Override
    public Classifier compile(RuleSet rules, AlgorithmChoice choice, CompileContext context) {
        return within(choice, context).compile(rules);
    }

    @Override
    public BaseCompiler bases(AlgorithmChoice choice, CompileContext context) {
        Compiler compiler = within(choice, context);
        return Algorithm.of(choice)
                .map(compiler::bases)
                .orElseGet(() -> new BasesChosenLater(compiler.options, compiler));
    }

    /**
     * As {@link #compile}, for a device, too, and says why.
     *
     * @param device null for none
     */
    public Compiled compileExplained(RuleSet rules, GpuPool.@Nullable Use device) {
        return Algorithm.of(options.algorithm())
                .map(
                        algorithm ->
                                new Compiled(
                                        algorithm.open(algorithm.compile(rules, context())),
                                        algorithm.label() + ": as the options ask for"))
                .orElseGet(() -> new AutoChoice(rules, options, device, this).choose());
    }

    /**
     * Compiles a rule set.
     *
     * @throws MemoryBudgetException if its image would pass the budget or what the heap allows
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    public Classifier compile(RuleSet rules) {
        return compileExplained(rules, null).classifier();
    }

    /**
     * Compiles the bases that follow one that was compiled by these options: by the same
     * algorithms, as long as they serve them.
     *
     * @param device as for the first one
     */
    public FollowingBases following(Compiled first, int rules, GpuPool.@Nullable Use device) {
        if (Algorithm.of(options.algorithm()).isEmpty()) {
            return new ChosenBases(options, first, rules, device, this);
        }
        BaseCompiler bases = bases(first.algorithm());
        String explanation = first.explanation();
        return (next, onDevice) -> new Compiled(bases.compile(next), explanation);
    }

    private BaseCompiler bases(Algorithm algorithm) {
        return algorithm.bases(context());
    }
}
