package dev.sluice.engine.gpu;

import dev.sluice.engine.Algorithm;
import java.util.List;

/** Which kernels read an image, and how they are launched. */
public final class Kernel {
    /** Threads of a block. */
    public static final int THREADS = 256;

    private Kernel() {}

    /** Names of the kernels of an algorithm, the one that is used first. */
    public static List<String> names(Algorithm algorithm) {
        return switch (algorithm) {
            case LINEAR -> List.of("classify_linear");
            case TUPLE, MERGED_TUPLE -> List.of("classify_tuple");
            case FOREST -> List.of("classify_forest");
            case BLOOM -> List.of("classify_bloom");
            case BITVECTOR -> List.of("classify_bitvector");
            case RFC, BITMAP_RFC -> List.of("classify_rfc");
            case HASH_TREE -> List.of("classify_hash_tree");
            case EXACT_FIRST -> List.of("classify_exact_first");
            case ROUTES -> List.of("classify_routes");
            case MASK_FILTER -> List.of("classify_mask_filter");
            case PAIRS -> List.of("classify_pairs");
            case AUTO -> throw new IllegalArgumentException("auto has no kernel");
        };
    }

    /** Shared memory of a block: the headers of its threads. */
    public static int sharedBytes(String kernel, int headerWords) {
        return kernel.startsWith("classify_") ? 4 * headerWords * THREADS : 0;
    }
}
