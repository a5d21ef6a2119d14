package dev.sluice.engine.gpu;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.pairs.PairPlan;
import dev.sluice.engine.space.ClassPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which kernels read an image, and how they are launched. */
public final class Kernel {
    /** Threads of a block. */
    public static final int THREADS = 256;

    private static final String PLANNED_PAIRS = "planned_pairs";
    private static final String PLANNED_TUPLE = "planned_tuple";
    private static final int[] NO_PLAN = {};

    private Kernel() {}

    /** Names of the kernels of an algorithm, the one that is used first. */
    public static List<String> names(Algorithm algorithm) {
        return switch (algorithm) {
            case LINEAR -> List.of("classify_linear");
            case TUPLE, MERGED_TUPLE -> List.of(PLANNED_TUPLE, "classify_tuple");
            case FOREST -> List.of("classify_forest");
            case BLOOM -> List.of("classify_bloom");
            case BITVECTOR -> List.of("classify_bitvector");
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
            return NO_PLAN;
        }
        int[] plan = kernel.equals(PLANNED_PAIRS) ? PairPlan.of(image) : ClassPlan.of(image);
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

    /** Shared memory of a block: the headers of its threads. */
    public static int sharedBytes(String kernel, int headerWords) {
        return kernel.startsWith("classify_") || kernel.equals(PLANNED_TUPLE)
                ? 4 * headerWords * THREADS
                : 0;
    }
}
