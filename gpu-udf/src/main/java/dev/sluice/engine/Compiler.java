package dev.sluice.engine;

import dev.sluice.engine.bitvector.BitvectorClassifier;
import dev.sluice.engine.bitvector.BitvectorCompiler;
import dev.sluice.engine.bloom.BloomCompiler;
import dev.sluice.engine.exact.ExactFirstClassifier;
import dev.sluice.engine.exact.ExactFirstCompiler;
import dev.sluice.engine.exact.ExactSpace;
import dev.sluice.engine.forest.ForestClassifier;
import dev.sluice.engine.forest.ForestCompiler;
import dev.sluice.engine.hashtree.HashTreeClassifier;
import dev.sluice.engine.hashtree.HashTreeCompiler;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.linear.LinearClassifier;
import dev.sluice.engine.linear.LinearCompiler;
import dev.sluice.engine.live.LiveClassifier;
import dev.sluice.engine.maskfilter.MaskFilterCompiler;
import dev.sluice.engine.merged.MergedCompiler;
import dev.sluice.engine.pairs.PairClassifier;
import dev.sluice.engine.pairs.PairCompiler;
import dev.sluice.engine.rfc.RfcClassifier;
import dev.sluice.engine.rfc.RfcCompiler;
import dev.sluice.engine.routes.RouteClassifier;
import dev.sluice.engine.routes.RouteCompiler;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.space.SpaceClassifier;
import dev.sluice.engine.tuple.TupleCompiler;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Compiles rule sets into images and opens images for look-ups. Thread-safe.
 *
 * @param options what to compile for
 */
public record Compiler(CompileOptions options) {
    /** Up to so many rules the vector loop over all of them beats every structure. */
    private static final int LINEAR_UP_TO = 24;

    /** Over so many rules on MAC addresses a forest takes long to build and is no faster. */
    private static final int FOREST_WITH_MACS_UP_TO = 2_000;

    /** A compiler for an algorithm within the default budget. */
    public static Compiler of(Algorithm algorithm) {
        return new Compiler(CompileOptions.of(algorithm));
    }

    /** The algorithm that is used for a rule set: {@link Algorithm#AUTO} decided. */
    public Algorithm choose(RuleSet rules) {
        if (options.algorithm() != Algorithm.AUTO) {
            return options.algorithm();
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
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    public Classifier compile(RuleSet rules) {
        CompileOptions chosen = options.withAlgorithm(choose(rules));
        Image image =
                switch (chosen.algorithm()) {
                    case LINEAR -> LinearCompiler.compile(rules, options.budgetBytes());
                    case TUPLE -> TupleCompiler.compile(rules, chosen);
                    case MERGED_TUPLE -> MergedCompiler.compile(rules, chosen);
                    case BLOOM -> BloomCompiler.compile(rules, chosen);
                    case MASK_FILTER -> MaskFilterCompiler.compile(rules, chosen);
                    case FOREST -> ForestCompiler.compile(rules, options.budgetBytes());
                    case RFC, BITMAP_RFC -> RfcCompiler.compile(rules, chosen);
                    case BITVECTOR -> BitvectorCompiler.compile(rules, options.budgetBytes());
                    case HASH_TREE -> HashTreeCompiler.compile(rules, chosen);
                    case EXACT_FIRST ->
                            ExactFirstCompiler.compile(rules, chosen, wild -> compileInner(wild));
                    case ROUTES -> RouteCompiler.compile(rules, options.budgetBytes());
                    case PAIRS -> PairCompiler.compile(rules, options.budgetBytes());
                    default -> throw new IllegalStateException("auto was not decided");
                };
        return open(image);
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
                            rules, layout, () -> MergedCompiler.live(layout, options));
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
                            rules, layout, () -> new ExactSpace(rules, layout, options));
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
            case TUPLE, MERGED_TUPLE -> new SpaceClassifier(image, SpaceClassifier.Way.IN_ORDER);
            case BLOOM -> new SpaceClassifier(image, SpaceClassifier.Way.FILTERED);
            case MASK_FILTER -> new SpaceClassifier(image, SpaceClassifier.Way.MATRIX);
            case FOREST -> new ForestClassifier(image);
            case RFC, BITMAP_RFC -> new RfcClassifier(image);
            case BITVECTOR -> new BitvectorClassifier(image);
            case HASH_TREE -> new HashTreeClassifier(image);
            case EXACT_FIRST -> new ExactFirstClassifier(image, Compiler::open);
            case ROUTES -> new RouteClassifier(image);
            case PAIRS -> new PairClassifier(image);
            default -> throw new IllegalStateException("auto is no algorithm of an image");
        };
    }
}
