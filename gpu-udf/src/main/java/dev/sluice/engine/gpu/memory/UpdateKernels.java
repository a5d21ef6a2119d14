package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.lookup.LaunchShape;
import java.util.List;

/** Kernels that write to an image on the device; they take what to write from a staging buffer. */
public final class UpdateKernels {
    /** Writes lines: line numbers first, then the lines' words. */
    public static final String PATCH = "patch";

    /** Writes single words: pairs of a place and a word. */
    public static final String POKE = "poke";

    /** The steps of rules that come and go in an H-HashTree, in order. */
    public static final List<String> TREE_STEPS =
            List.of("paper_tree_find", "paper_tree_reduce", "paper_tree_condense");

    private static final int[] NO_PARAMETERS = {};

    private UpdateKernels() {}

    /**
     * Runs kernels over an image, one after the other, and waits. Nothing else may look into the
     * image meanwhile.
     *
     * @param buffer its headers hold what the kernels read
     * @param beside address of memory beside the image that they use, 0 for none
     * @param words words of the buffer that are filled
     * @param stride distance of two parts of what the kernels read, in words
     * @param count threads
     * @param timed whether to measure the kernels
     * @return their milliseconds, 0 if they were not measured
     */
    public static float run(
            GpuDriver.Device device,
            StagingBuffer buffer,
            DeviceImage image,
            long beside,
            List<String> kernels,
            int words,
            int stride,
            int count,
            boolean timed) {
        GpuDriver.Stream stream = buffer.stream();
        device.copyIn(buffer.deviceHeaders(), buffer.headers(), 4L * words, stream);
        float millis = 0;
        for (String kernel : kernels) {
            GpuDriver.Launch launch =
                    device.prepare(
                            kernel,
                            LaunchShape.PLAIN,
                            image.address(),
                            buffer.deviceHeaders(),
                            beside,
                            NO_PARAMETERS);
            if (timed) {
                millis += device.time(() -> {}, () -> launch.run(stride, count, stream), stream);
            } else {
                launch.run(stride, count, stream);
            }
        }
        device.await(stream);
        return millis;
    }
}
