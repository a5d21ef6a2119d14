package dev.sluice.engine;

import dev.sluice.engine.forest.ForestClassifier;
import dev.sluice.engine.forest.ForestCompiler;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.linear.LinearClassifier;
import dev.sluice.engine.linear.LinearCompiler;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleClassifier;
import dev.sluice.engine.tuple.TupleCompiler;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Compiles rule sets into images and opens images for look-ups. Thread-safe.
 *
 * @param algorithm what to compile for
 * @param budgetBytes largest image
 */
public record Compiler(Algorithm algorithm, long budgetBytes) {
    /** Image budget where nothing else is said: 1 GiB. */
    public static final long DEFAULT_BUDGET_BYTES = 1L << 30;

    /** Up to so many rules the vector loop over all of them beats every structure. */
    private static final int LINEAR_UP_TO = 24;

    /** Over so many rules on MAC addresses a forest takes long to build and is no faster. */
    private static final int FOREST_WITH_MACS_UP_TO = 2_000;

    /** A compiler for an algorithm within the default budget. */
    public static Compiler of(Algorithm algorithm) {
        return new Compiler(algorithm, DEFAULT_BUDGET_BYTES);
    }

    /** The algorithm that is used for a rule set: {@link Algorithm#AUTO} decided. */
    public Algorithm choose(RuleSet rules) {
        if (algorithm != Algorithm.AUTO) {
            return algorithm;
        }
        if (rules.size() <= LINEAR_UP_TO) {
            return Algorithm.LINEAR;
        }
        // Rules on MAC addresses are exact in most fields: few masks and hash tables suit them.
        boolean macs = rules.layout().position(HeaderWord.MAC_HIGH) >= 0;
        return macs && rules.size() > FOREST_WITH_MACS_UP_TO ? Algorithm.TUPLE : Algorithm.FOREST;
    }

    /**
     * Compiles a rule set.
     *
     * @throws dev.sluice.engine.image.MemoryBudgetException if its image would pass the budget
     */
    public Classifier compile(RuleSet rules) {
        Image image =
                switch (choose(rules)) {
                    case LINEAR -> LinearCompiler.compile(rules, budgetBytes);
                    case TUPLE -> TupleCompiler.compile(rules, budgetBytes);
                    case FOREST -> ForestCompiler.compile(rules, budgetBytes);
                    case AUTO -> throw new IllegalStateException("auto was not decided");
                };
        return open(image);
    }

    /**
     * A classifier that looks into an image.
     *
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Classifier open(Image image) {
        int code = image.algorithm();
        if (code == Algorithm.LINEAR.code()) {
            return new LinearClassifier(image);
        }
        if (code == Algorithm.TUPLE.code()) {
            return new TupleClassifier(image);
        }
        if (code == Algorithm.FOREST.code()) {
            return new ForestClassifier(image);
        }
        throw new IllegalArgumentException("no algorithm has the code " + code);
    }
}
