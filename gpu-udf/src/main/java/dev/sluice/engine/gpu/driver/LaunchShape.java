package dev.sluice.engine.gpu.driver;

/**
 * The grid that a kernel is launched with. Headers are spread over the grid's first dimension, the
 * parts of a rule set over its second.
 *
 * @param threads threads of a block
 * @param headersABlock headers that a block takes
 * @param parts blocks that look at the same headers, each with another part of the rules
 * @param sharedBytes shared memory of a block, in bytes
 * @param maximum whether the parts unite their verdicts by an atomic maximum of inverted rule
 *     numbers, so that the first rule wins: the driver sets the verdicts to 0 before the kernel and
 *     inverts them behind it
 */
public record LaunchShape(
        int threads, int headersABlock, int parts, int sharedBytes, boolean maximum) {
    /** Blocks of 256 threads, a header each, with no shared memory. */
    public static final LaunchShape PLAIN = new LaunchShape(256, 256, 1, 0, false);

    /** Blocks of the first dimension for a number of headers. */
    int blocks(int headers) {
        return (headers + headersABlock - 1) / headersABlock;
    }
}
