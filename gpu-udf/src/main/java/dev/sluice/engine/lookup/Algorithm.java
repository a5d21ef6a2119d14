package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderLayout;
import java.io.Serializable;
import java.util.List;

/**
 * One look-up algorithm: what it is called, how it compiles a rule set, how its images are looked
 * into on the CPU, and which kernels read them on a device.
 *
 * <p>An algorithm is found by its name through {@link java.util.ServiceLoader}: a class of its own
 * package extends this one, has a public constructor without parameters, and is one line of {@code
 * META-INF/services/dev.sluice.engine.lookup.Algorithm}. Nothing else names it: command line, help,
 * benchmarks and tests go over {@link #all}.
 *
 * <p>Immutable and thread-safe. Serialized by its label: the reading side must have the algorithm.
 */
public abstract class Algorithm implements Serializable {
    private static final long serialVersionUID = 1L;

    private final transient String label;
    private final transient int code;
    private final transient String summary;
    private final transient Capabilities capabilities;

    /**
     * Describes an algorithm.
     *
     * @param label the name that options take: lower-case words joined by hyphens
     * @param code number in an image's header, above 0 and no other algorithm's
     * @param summary one line for help texts and tables: structure and what it is good for
     */
    protected Algorithm(String label, int code, String summary, Capabilities capabilities) {
        this.label = label;
        this.code = code;
        this.summary = summary;
        this.capabilities = capabilities;
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
    public abstract Image compile(RuleSet rules, CompileContext context);

    /** A classifier that looks into an image of this algorithm. */
    public abstract Classifier open(Image image);

    /** Kernels that read its images, the one that is used first; none if only the CPU does. */
    public List<Kernel> kernels() {
        return List.of();
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

    /** All algorithms, in the order of the registry. */
    public static List<Algorithm> all() {
        return AlgorithmRegistry.SHARED.all();
    }

    /**
     * The algorithm of a label.
     *
     * @throws IllegalArgumentException naming those that there are
     */
    public static Algorithm of(String label) {
        return AlgorithmRegistry.SHARED.of(label);
    }

    /**
     * The algorithm of an image.
     *
     * @param code the number in the image's header
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Algorithm ofCode(int code) {
        return AlgorithmRegistry.SHARED.ofCode(code);
    }

    /**
     * A classifier that looks into an image of any algorithm.
     *
     * @throws IllegalArgumentException if no algorithm reads it
     */
    public static Classifier openImage(Image image) {
        return ofCode(image.algorithm()).open(image);
    }

    /** Two objects of one label are the same algorithm. */
    @Override
    public final boolean equals(Object other) {
        return other instanceof Algorithm that && that.label.equals(label);
    }

    @Override
    public final int hashCode() {
        return label.hashCode();
    }

    /** The label. */
    @Override
    public final String toString() {
        return label;
    }

    /** Returns the object that is written in an algorithm's place. */
    protected final Object writeReplace() {
        return new Named(label);
    }

    private record Named(String label) implements Serializable {
        private Object readResolve() {
            return of(label);
        }
    }
}
