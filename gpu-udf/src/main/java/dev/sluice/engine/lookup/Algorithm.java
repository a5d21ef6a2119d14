package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One look-up algorithm: what it is called, how it compiles a rule set, how its images are looked
 * into on the CPU, and which kernels read them on a device.
 *
 * <p>An algorithm is found by its name through {@link java.util.ServiceLoader}: a class of its own
 * package extends this one, has a public constructor without parameters, and is one line of {@code
 * META-INF/services/dev.sluice.engine.lookup.Algorithm}. Nothing else names it: command line, help,
 * benchmarks and tests go over {@link #all}.
 *
 * <p>Immutable and thread-safe. Options name it by its label ({@link AlgorithmChoice}).
 */
public abstract class Algorithm {
    private final String label;
    private final int code;
    private final String summary;
    private final Capabilities capabilities;
    private final BiFunction<RuleSet, CompileContext, Image> compiler;
    private final Function<Image, Classifier> opener;
    private final List<Kernel> kernels;

    /**
     * Describes an algorithm.
     *
     * @param label the name that options take: lower-case words joined by hyphens
     * @param code number in an image's header, above 0 and no other algorithm's
     * @param summary one line for help texts and tables: structure and what it is good for
     * @param compiler compiles a rule set; throws {@link UnsupportedRulesException} if the
     *     algorithm cannot express the rules, {@link dev.sluice.engine.image.MemoryBudgetException}
     *     if its image would pass the budget
     * @param opener opens an image of this algorithm as a classifier
     * @param kernels kernels that read its images, the one that is used first; none if only the CPU
     *     does
     */
    protected Algorithm(
            String label,
            int code,
            String summary,
            Capabilities capabilities,
            BiFunction<RuleSet, CompileContext, Image> compiler,
            Function<Image, Classifier> opener,
            Kernel... kernels) {
        this.label = label;
        this.code = code;
        this.summary = summary;
        this.capabilities = capabilities;
        this.compiler = compiler;
        this.opener = opener;
        this.kernels = List.of(kernels);
    }

    /** The name that options take. */
    public final String label() {
        return label;
    }

    /** Number in an image's header. */
    public final int code() {
        return code;
    }

    /** One line: structure, and what it is good for. */
    public final String summary() {
        return summary;
    }

    /** Returns the rule sets that it serves, and how it takes updates. */
    public final Capabilities capabilities() {
        return capabilities;
    }

    /**
     * Claims that it suits rules, by which {@code auto} chooses; none unless it says so.
     *
     * @param rules the rules and what is expected of them
     */
    public List<Claim> suits(RuleProfile rules) {
        return List.of();
    }

    /**
     * Bytes of a budget that {@code auto} lets it take while it builds.
     *
     * @param layout words that the rules look at
     */
    public long buildBudget(long budgetBytes, HeaderLayout layout) {
        return budgetBytes;
    }

    /** Its own options; none unless it says so. */
    public List<AlgorithmOption<?>> options() {
        return List.of();
    }

    /**
     * Compiles a rule set.
     *
     * @throws dev.sluice.engine.image.MemoryBudgetException if its image would pass the budget
     * @throws UnsupportedRulesException if the algorithm cannot express the rules
     */
    public final Image compile(RuleSet rules, CompileContext context) {
        return compiler.apply(rules, context);
    }

    /** A classifier that looks into an image of this algorithm. */
    public final Classifier open(Image image) {
        return opener.apply(image);
    }

    /** Kernels that read its images, the one that is used first; none if only the CPU does. */
    public final List<Kernel> kernels() {
        return kernels;
    }

    /**
     * How many images lie within one another below one of this algorithm: 0 if its images contain
     * none. A device's look-up goes down to images of a smaller number alone.
     */
    public int nesting() {
        return 0;
    }

    /**
     * Returns whether a header's verdict is the best rule that matches, as it is unless options ask
     * for another answer. Where it is not, rules do not change by versions: each version is
     * compiled.
     */
    public boolean givesBestRule(AlgorithmOptions options) {
        return true;
    }

    /**
     * Compiles the bases that follow one another while rules change; each one whole, unless the
     * algorithm lets them grow.
     */
    public BaseCompiler bases(CompileContext context) {
        return rules -> open(compile(rules, context));
    }

    /**
     * Lines that tell a reader more about a compiled rule set than its size does.
     *
     * @return none unless the algorithm has something to tell
     */
    public List<String> report(RuleSet rules, CompileContext context) {
        return List.of();
    }

    /** The choice of this algorithm. */
    public final AlgorithmChoice choice() {
        return new AlgorithmChoice(label);
    }

    /** All algorithms, in the order of the registry. */
    public static List<Algorithm> all() {
        return Registry.SHARED.all();
    }

    /** All labels that {@link #parse} reads, auto first. */
    public static List<String> labels() {
        List<String> labels = new ArrayList<>(List.of(AlgorithmChoice.AUTO.label()));
        all().forEach(algorithm -> labels.add(algorithm.label));
        return labels;
    }

    /**
     * Reads a choice.
     *
     * @param label auto, or an algorithm's
     * @throws IllegalArgumentException naming those that there are
     */
    public static AlgorithmChoice parse(String label) {
        if (!labels().contains(label)) {
            throw new IllegalArgumentException(
                    "no algorithm '%s'; there are %s"
                            .formatted(label, String.join(", ", labels())));
        }
        return new AlgorithmChoice(label);
    }

    /** Declares an option whose value is an algorithm, or auto, which is its default. */
    public static AlgorithmOption<AlgorithmChoice> option(String name, String description) {
        return new AlgorithmOption<>(
                name,
                AlgorithmChoice.class,
                AlgorithmChoice.AUTO,
                "NAME",
                description,
                Algorithm::parse);
    }

    /** The algorithm of a choice; empty where the engine chooses. */
    public static Optional<Algorithm> of(AlgorithmChoice choice) {
        return choice.equals(AlgorithmChoice.AUTO)
                ? Optional.empty()
                : Optional.of(of(choice.label()));
    }

    /**
     * The algorithm of a label.
     *
     * @throws IllegalArgumentException naming those that there are
     */
    public static Algorithm of(String label) {
        return Registry.SHARED.of(label);
    }

    /**
     * The algorithm of an image.
     *
     * @param code the number in the image's header
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Algorithm ofCode(int code) {
        return Registry.SHARED.ofCode(code);
    }

    /**
     * A classifier that looks into an image of any algorithm.
     *
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Classifier openImage(Image image) {
        return ofCode(image.algorithm()).open(image);
    }

    /**
     * Returns whether an image can be looked into that lies within another one: by a look-up alone.
     */
    public static boolean looksInto(Image image) {
        return ofCode(image.algorithm()).kernels().stream()
                .anyMatch(k -> !k.lookUp().isEmpty() && k.parameters().apply(image) != null);
    }

    /** The label. */
    @Override
    public final String toString() {
        return label;
    }

    /** The algorithms that there are, by label and by code. Immutable, thread-safe. */
    static final class Registry {
        /** Algorithms that {@code META-INF/services} names, wherever they are packed. */
        static final Registry SHARED =
                new Registry(ServiceLoader.load(Algorithm.class, Algorithm.class.getClassLoader()));

        private final Map<String, Algorithm> byLabel = new LinkedHashMap<>();
        private final Map<Integer, Algorithm> byCode = new HashMap<>();

        /**
         * A registry that keeps the order of what it is given.
         *
         * @throws IllegalStateException if two have one label or code, or one is not well named
         */
        Registry(Iterable<Algorithm> algorithms) {
            for (Algorithm algorithm : algorithms) {
                String label = algorithm.label();
                if (!label.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")
                        || label.equals(AlgorithmChoice.AUTO.label())) {
                    throw new IllegalStateException(
                            "%s calls itself '%s'; a label is lower-case words joined by hyphens, and not %s"
                                    .formatted(
                                            algorithm.getClass().getName(),
                                            label,
                                            AlgorithmChoice.AUTO.label()));
                }
                if (algorithm.code() < 1) {
                    throw new IllegalStateException(
                            "%s has the code %d; codes are above 0"
                                    .formatted(algorithm.getClass().getName(), algorithm.code()));
                }
                Algorithm sameLabel = byLabel.putIfAbsent(label, algorithm);
                Algorithm sameCode = byCode.putIfAbsent(algorithm.code(), algorithm);
                Algorithm other = sameLabel == null ? sameCode : sameLabel;
                if (other != null) {
                    throw new IllegalStateException(
                            "%s and %s have the same %s; change one of them"
                                    .formatted(
                                            other.getClass().getName(),
                                            algorithm.getClass().getName(),
                                            sameLabel == null
                                                    ? "code " + algorithm.code()
                                                    : "label '" + label + "'"));
                }
            }
        }

        List<Algorithm> all() {
            return List.copyOf(byLabel.values());
        }

        Algorithm of(String label) {
            Algorithm algorithm = byLabel.get(label);
            if (algorithm == null) {
                throw new IllegalArgumentException(
                        "no algorithm '%s'; there are %s"
                                .formatted(label, String.join(", ", byLabel.keySet())));
            }
            return algorithm;
        }

        Algorithm ofCode(int code) {
            Algorithm algorithm = byCode.get(code);
            if (algorithm == null) {
                throw new IllegalArgumentException("no algorithm has the code " + code);
            }
            return algorithm;
        }
    }
}
