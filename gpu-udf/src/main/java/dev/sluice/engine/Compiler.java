package dev.sluice.engine;

import dev.sluice.engine.bitvector.BitvectorClassifier;
import dev.sluice.engine.bitvector.BitvectorCompiler;
import dev.sluice.engine.bloom.BloomClassifier;
import dev.sluice.engine.bloom.BloomCompiler;
import dev.sluice.engine.crossproduct.CrossproductClassifier;
import dev.sluice.engine.crossproduct.CrossproductCompiler;
import dev.sluice.engine.exact.ExactFirstClassifier;
import dev.sluice.engine.exact.ExactFirstCompiler;
import dev.sluice.engine.exact.ExactStructure;
import dev.sluice.engine.forest.ForestClassifier;
import dev.sluice.engine.forest.ForestCompiler;
import dev.sluice.engine.hashtree.HashTreeClassifier;
import dev.sluice.engine.hashtree.HashTreeCompiler;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.linear.LinearClassifier;
import dev.sluice.engine.linear.LinearCompiler;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.maskfilter.MaskFilterClassifier;
import dev.sluice.engine.maskfilter.MaskFilterCompiler;
import dev.sluice.engine.merged.KeyLists;
import dev.sluice.engine.merged.MergedTupleClassifier;
import dev.sluice.engine.merged.MergedTupleCompiler;
import dev.sluice.engine.rfc.RfcClassifier;
import dev.sluice.engine.rfc.RfcCompiler;
import dev.sluice.engine.routes.RouteClassifier;
import dev.sluice.engine.routes.RouteCompiler;
import dev.sluice.engine.routes.RouteStructure;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleClassifier;
import dev.sluice.engine.tuple.TupleCompiler;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.function.Supplier;

/**
 * Compiles rule sets into images and opens images for look-ups. Thread-safe.
 *
 * @param options what to compile for
 */
public record Compiler(CompileOptions options) {
    /** A compiler for an algorithm within the default budget. */
    public static Compiler of(Algorithm algorithm) {
        return new Compiler(CompileOptions.of(algorithm));
    }

    /**
     * A compiled rule set and why it was compiled so.
     *
     * @param explanation one readable line
     */
    public record Compiled(Classifier classifier, String explanation) {
        /** The algorithm that was used. */
        public Algorithm algorithm() {
            return Algorithm.ofCode(classifier.image().algorithm());
        }
    }

    /** As {@link #compile}, and says why. */
    public Compiled compileExplained(RuleSet rules) {
        if (options.algorithm() == Algorithm.AUTO) {
            return new AutoChoice(rules, options).choose();
        }
        return new Compiled(
                compile(rules), options.algorithm().label() + ": as the options ask for");
    }

    /**
     * Compiles a rule set.
     *
     * @throws MemoryBudgetException if its image would pass the budget or what the heap holds
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    public Classifier compile(RuleSet rules) {
        if (options.algorithm() == Algorithm.AUTO) {
            return compileExplained(rules).classifier();
        }
        return withinHeap(options.algorithm(), () -> open(image(rules)));
    }

    /** A build whose arrays do not fit the heap ends like one that passes its budget. */
    static <T> T withinHeap(Algorithm algorithm, Supplier<T> build) {
        try {
            return build.get();
        } catch (OutOfMemoryError e) {
            // What the build held is garbage by now: there is room again to say so.
            throw new MemoryBudgetException(algorithm.label(), Runtime.getRuntime().maxMemory(), e);
        }
    }

    private Image image(RuleSet rules) {
        return switch (options.algorithm()) {
            case LINEAR -> LinearCompiler.compile(rules, options.budgetBytes());
            case TUPLE -> TupleCompiler.compile(rules, options);
            case MERGED_TUPLE -> MergedTupleCompiler.compile(rules, options);
            case BLOOM -> BloomCompiler.compile(rules, options);
            case MASK_FILTER -> MaskFilterCompiler.compile(rules, options);
            case FOREST -> ForestCompiler.compile(rules, options.budgetBytes());
            case RFC, BITMAP_RFC -> RfcCompiler.compile(rules, options);
            case BITVECTOR -> BitvectorCompiler.compile(rules, options.budgetBytes());
            case HASH_TREE -> HashTreeCompiler.compile(rules, options);
            case EXACT_FIRST ->
                    ExactFirstCompiler.compile(rules, options, wild -> compileInner(wild));
            case ROUTES -> RouteCompiler.compile(rules, options.budgetBytes());
            case PAIRS -> CrossproductCompiler.compile(rules, options.budgetBytes());
            default -> throw new IllegalStateException("auto was not decided");
        };
    }

    /** A rule set that changes while it is looked into, over the layout of its rules. */
    public LiveClassifier live(RuleSet rules) {
        return live(rules, rules.layout());
    }

    /**
     * A rule set that changes while it is looked into. Close it when done.
     *
     * @param layout words that rules may look at, those of later rules too
     */
    public LiveClassifier live(RuleSet rules, HeaderLayout layout) {
        return switch (options.algorithm()) {
            case TUPLE ->
                    LiveClassifier.inPlace(
                            rules, layout, () -> TupleCompiler.live(layout, options));
            case MERGED_TUPLE ->
                    LiveClassifier.inPlace(
                            rules, layout, () -> MergedTupleCompiler.live(rules, layout, options));
            case BLOOM ->
                    LiveClassifier.inPlace(
                            rules, layout, () -> BloomCompiler.live(layout, options));
            case MASK_FILTER ->
                    LiveClassifier.inPlace(
                            rules, layout, () -> MaskFilterCompiler.live(rules, layout, options));
            case HASH_TREE ->
                    LiveClassifier.inPlace(
                            rules,
                            layout,
                            () -> HashTreeCompiler.live(layout, options, rules.size()));
            case EXACT_FIRST ->
                    LiveClassifier.inPlace(
                            rules, layout, () -> new ExactStructure(rules, layout, options));
            case ROUTES -> {
                if (RouteCompiler.isIpv4(rules)) {
                    yield LiveClassifier.inPlace(
                            rules,
                            layout,
                            () -> new RouteStructure(rules, layout, options.budgetBytes()));
                }
                yield LiveClassifier.overlaid(rules, layout, options.budgetBytes(), this::compile);
            }
            case AUTO -> {
                if (options.updatesPerSecond() >= AutoChoice.MANY_UPDATES) {
                    yield new Compiler(options.withAlgorithm(Algorithm.MERGED_TUPLE))
                            .live(rules, layout);
                }
                yield LiveClassifier.overlaid(
                        rules, layout, options.budgetBytes(), new ChosenBases(options));
            }
            case FOREST ->
                    LiveClassifier.overlaid(
                            rules,
                            layout,
                            options.budgetBytes(),
                            ForestCompiler.growing(options.budgetBytes()));
            default -> LiveClassifier.overlaid(rules, layout, options.budgetBytes(), this::compile);
        };
    }

    private Image compileInner(RuleSet wild) {
        Algorithm inner =
                options.inner() == Algorithm.EXACT_FIRST ? Algorithm.AUTO : options.inner();
        return new Compiler(options.withAlgorithm(inner)).compile(wild).image();
    }

    /**
     * A classifier that looks into an image.
     *
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Classifier open(Image image) {
        return switch (Algorithm.ofCode(image.algorithm())) {
            case LINEAR -> new LinearClassifier(image);
            case TUPLE -> new TupleClassifier(image);
            case MERGED_TUPLE ->
                    KeyLists.has(image)
                            ? new MergedTupleClassifier(image)
                            : new TupleClassifier(image);
            case BLOOM -> new BloomClassifier(image);
            case MASK_FILTER -> new MaskFilterClassifier(image);
            case FOREST -> new ForestClassifier(image);
            case RFC, BITMAP_RFC -> new RfcClassifier(image);
            case BITVECTOR -> new BitvectorClassifier(image);
            case HASH_TREE -> new HashTreeClassifier(image);
            case EXACT_FIRST -> new ExactFirstClassifier(image, Compiler::open);
            case ROUTES -> new RouteClassifier(image);
            case PAIRS -> new CrossproductClassifier(image);
            default -> throw new IllegalStateException("auto is no algorithm of an image");
        };
    }
}
