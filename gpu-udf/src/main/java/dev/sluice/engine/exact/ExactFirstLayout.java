package dev.sluice.engine.exact;

/**
 * Layout of the head of an exact-first image in words, which is an image of one tuple; its own
 * words name the head. The image of the wildcard rules lies whole within it.
 *
 * <pre>
 * head   inner image | map | 1 if exact wins | best wildcard
 * map    for each position in the inner image that in this one
 * </pre>
 */
final class ExactFirstLayout {
    /** Offset of the image of the wildcard rules. */
    static final int INNER = 0;

    /** Offset of the positions in this image. */
    static final int MAP = 1;

    /** 1: an exact entry beats every wildcard rule. */
    static final int EXACT_WINS = 2;

    /** Best position of a wildcard rule. */
    static final int BEST_WILDCARD = 3;

    /** Size of the head in words. */
    static final int HEAD = 4;

    private ExactFirstLayout() {}
}
