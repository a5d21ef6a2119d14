package dev.sluice.engine.lookup;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import java.util.function.Consumer;

/**
 * Means of a compile: memory, the algorithms' own options, and other algorithms for rules that one
 * passes on. Immutable, thread-safe.
 *
 * @param budgetBytes largest image, and most of what a build holds beside it; cut to what the heap
 *     allows, {@link HeapBudget}
 * @param options values of the algorithms' own options
 * @param others compiles what an algorithm passes on
 * @param watch is given the counts of each build when it begins
 */
public record CompileContext(
        long budgetBytes, AlgorithmOptions options, Others others, Consumer<BuildMeter> watch) {
    /** Image budget where nothing else is said: 1 GiB. */
    public static final long DEFAULT_BUDGET_BYTES = 1L << 30;

    /** Cuts the budget to what the heap allows. */
    public CompileContext {
        budgetBytes = HeapBudget.within(budgetBytes);
    }

    /** A context whose builds nobody watches. */
    public CompileContext(long budgetBytes, AlgorithmOptions options, Others others) {
        this(budgetBytes, options, others, meter -> {});
    }

    /** Compiles rules that an algorithm passes on to another one. */
    @FunctionalInterface
    public interface Others {
        /** Compiles rules by an algorithm of one's choice within a context. */
        Classifier compile(RuleSet rules, AlgorithmChoice algorithm, CompileContext context);

        /** Compiles bases of rules that change; each one whole unless something better is known. */
        default BaseCompiler bases(AlgorithmChoice algorithm, CompileContext context) {
            return rules -> compile(rules, algorithm, context);
        }
    }

    /** This context; each build that begins shows its counts. */
    public CompileContext watching(Consumer<BuildMeter> by) {
        return new CompileContext(budgetBytes, options, others, by);
    }

    /** The counts of a build that begins. */
    public BuildMeter meter(String algorithm) {
        BuildMeter meter = new BuildMeter(algorithm, budgetBytes);
        watch.accept(meter);
        return meter;
    }

    /** The value of an option. */
    public <T> T get(AlgorithmOption<T> option) {
        return options.get(option);
    }

    /** Compiles rules by another algorithm, or the one that the engine chooses for them. */
    public Image compile(RuleSet rules, AlgorithmChoice algorithm) {
        return others.compile(rules, algorithm, this).image();
    }

    /**
     * Compiles bases of rules that are passed on while they change, as {@link Algorithm#bases}
     * does.
     */
    public BaseCompiler bases(AlgorithmChoice algorithm) {
        return others.bases(algorithm, this);
    }
}
