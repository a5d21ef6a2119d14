package dev.sluice.engine.gpu;

import dev.sluice.engine.bitvector.BitvectorCompiler;
import dev.sluice.engine.crossproduct.CrossproductKernelParameters;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.merged.MergedTupleKernelParameters;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which kernels read an image, and how they are launched. */
public final class KernelCatalog {
    /** Most blocks of a grid in its second dimension. */
    private static final int MOST_PARTS = 65_535;

    /** Writes lines into an image that changes. */
    static final String PATCH = "patch";

    /** Writes single words into an image that changes. */
    static final String POKE = "poke";

    /** The steps of rules that come and go in an H-HashTree, in order. */
    static final List<String> TREE_STEPS =
            List.of("paper_tree_find", "paper_tree_reduce", "paper_tree_condense");

    /** Begins the names of kernels that stay. */
    static final String RESIDENT = "resident_";

    private static final String PLANNED_PAIRS = "planned_pairs";
    private static final String PLANNED_TUPLE = "planned_tuple";
    private static final int[] NO_PLAN = {};

    private KernelCatalog() {}

    /** Names of the kernels of an algorithm, the one that is used first. */
    public static List<String> names(Algorithm algorithm) {
        return switch (algorithm) {
            case LINEAR -> List.of("classify_linear", "paper_linear");
            case TUPLE -> List.of("classify_tuple", "paper_tuple");
            case MERGED_TUPLE -> List.of(PLANNED_TUPLE, "classify_tuple", "paper_tuple");
            case FOREST -> List.of("classify_forest");
            case BLOOM -> List.of("classify_bloom", "paper_bloom");
            case BITVECTOR -> List.of("classify_bitvector", "paper_bitvector");
            case RFC, BITMAP_RFC -> List.of("classify_rfc");
            case HASH_TREE -> List.of("classify_hash_tree");
            case EXACT_FIRST -> List.of("classify_exact_first");
            case ROUTES -> List.of("classify_routes");
            case MASK_FILTER -> List.of("classify_mask_filter");
            case PAIRS -> List.of(PLANNED_PAIRS, "classify_pairs");
            case AUTO -> throw new IllegalArgumentException("auto has no kernel");
        };
    }

    /**
     * The record that a kernel takes as a parameter beside the image.
     *
     * @return null if the kernel cannot read the image; empty if it takes no record
     */
    public static int @Nullable [] plan(String kernel, Image image) {
        if (!kernel.startsWith("planned_")) {
            boolean fits = onHost(kernel) || shape(kernel, image).parts() <= MOST_PARTS;
            return fits ? NO_PLAN : null;
        }
        int[] plan =
                kernel.equals(PLANNED_PAIRS)
                        ? CrossproductKernelParameters.of(image)
                        : MergedTupleKernelParameters.of(image);
        return plan.length == 0 ? null : plan;
    }

    /** The first kernel that can read an image. */
    public static String of(Image image) {
        for (String kernel : names(Algorithm.ofCode(image.algorithm()))) {
            if (plan(kernel, image) != null) {
                return kernel;
            }
        }
        throw new IllegalStateException("no kernel reads the image");
    }

    /**
     * How a kernel is launched.
     *
     * @param threads threads of a block
     * @param headersABlock headers that a block takes
     * @param parts blocks that share the same headers, each with a part of the rules
     * @param sharedBytes shared memory of a block
     * @param maximum whether verdicts are united as maxima: cleared before, turned round after
     */
    public record Shape(
            int threads, int headersABlock, int parts, int sharedBytes, boolean maximum) {}

    /** The launch of a kernel over an image. */
    public static Shape shape(String kernel, Image image) {
        int[] w = image.words();
        int size = image.layout().size();
        int parts =
                (image.rules() + SharedMemoryLayout.PAPER_RULES - 1)
                        / SharedMemoryLayout.PAPER_RULES;
        return switch (kernel) {
            case "paper_linear" ->
                    new Shape(
                            SharedMemoryLayout.THREADS,
                            SharedMemoryLayout.THREADS,
                            Math.max(1, parts),
                            4 * SharedMemoryLayout.PAPER_RULES * (2 * size + 2),
                            true);
            case "paper_tuple", "paper_bloom" ->
                    new Shape(
                            SharedMemoryLayout.THREADS,
                            SharedMemoryLayout.THREADS,
                            Math.max(1, w[TupleSpaceLayout.TUPLES_AT]),
                            4 * SharedMemoryLayout.PAPER_TUPLE_WORDS,
                            true);
            case "paper_bitvector" -> {
                int fields = BitvectorCompiler.fields(image);
                int packets = fields == 0 ? 1 : 32 / fields;
                yield new Shape(32 * packets * Math.max(1, fields), packets, 1, 0, false);
            }
            case "planned_pairs",
                    "trivial",
                    "gather",
                    "paper_tree_find",
                    "paper_tree_reduce",
                    "paper_tree_condense",
                    PATCH,
                    POKE ->
                    new Shape(SharedMemoryLayout.THREADS, SharedMemoryLayout.THREADS, 1, 0, false);
            case PLANNED_TUPLE ->
                    new Shape(
                            SharedMemoryLayout.THREADS,
                            SharedMemoryLayout.THREADS,
                            1,
                            4
                                    * (size
                                            + MergedTupleKernelParameters.noted(
                                                    w[TupleSpaceLayout.TUPLES_AT]))
                                    * SharedMemoryLayout.THREADS,
                            false);
            default ->
                    new Shape(
                            SharedMemoryLayout.THREADS,
                            SharedMemoryLayout.THREADS,
                            1,
                            4 * (size + 3 & ~3) * SharedMemoryLayout.THREADS,
                            false);
        };
    }

    /** The kernel that looks into an image that changes; its verdicts are slots. */
    static String live(Algorithm algorithm) {
        return switch (algorithm) {
            case TUPLE, MERGED_TUPLE -> "live_tuple";
            case BLOOM -> "live_bloom";
            case HASH_TREE -> "live_hash_tree";
            case MASK_FILTER -> "live_mask_filter";
            default ->
                    throw new IllegalArgumentException(
                            algorithm.label() + " does not change in place on a device");
        };
    }

    /**
     * The form of a kernel that stays on the device and takes batches from a ring.
     *
     * @return null if there is none: the papers' kernels unite blocks between launches
     */
    public static @Nullable String resident(String kernel) {
        return onHost(kernel) && !kernel.equals("trivial") ? RESIDENT + kernel : null;
    }

    /** How a resident form is launched: its count is that of its blocks. */
    static Shape residentShape(String kernel, Image image) {
        Shape shape = shape(kernel, image);
        return new Shape(shape.threads(), 1, 1, shape.sharedBytes(), false);
    }

    /** Whether a kernel's look-up is compiled for the CPU, too. */
    public static boolean onHost(String kernel) {
        return !kernel.startsWith("paper_");
    }
}
