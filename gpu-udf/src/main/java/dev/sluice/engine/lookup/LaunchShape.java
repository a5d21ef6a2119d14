package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * How a kernel is launched.
 *
 * @param threads threads of a block
 * @param headersABlock headers that a block takes
 * @param parts blocks that share the same headers, each with a part of the rules
 * @param sharedBytes shared memory of a block
 * @param maximum whether the parts unite their verdicts by an atomic maximum of inverted rule
 *     numbers, so that the first rule wins: the driver sets the verdicts to 0 before the kernel and
 *     inverts them behind it
 */
public record LaunchShape(
        int threads, int headersABlock, int parts, int sharedBytes, boolean maximum) {
    private static final int THREADS = SharedMemoryLayout.THREADS;

    /** A thread a header, no shared memory. */
    public static final LaunchShape PLAIN = new LaunchShape(THREADS, THREADS, 1, 0, false);

    /** A thread a header, with so much shared memory a block. */
    public static LaunchShape sharing(int sharedBytes) {
        return new LaunchShape(THREADS, THREADS, 1, sharedBytes, false);
    }

    /** A thread a header, whose words lie in shared memory, rounded up to four. */
    public static LaunchShape staged(Image image) {
        return staged(image.layout());
    }

    /** As {@link #staged(Image)}, for headers of a layout. */
    public static LaunchShape staged(HeaderLayout layout) {
        return sharing(4 * (layout.size() + 3 & ~3) * THREADS);
    }
}
