package dev.sluice.engine.lookup;

import dev.sluice.engine.image.Image;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that reads an algorithm's images: its name in the compiled CUDA code, how it is launched
 * and what it takes beside the image. Immutable, thread-safe.
 *
 * @param name name of the function
 * @param lookUp name of the look-up in CUDA that the kernel is made of, in the header of that name;
 *     empty if the kernel is not made of a look-up
 * @param shape the launch over an image
 * @param parameters the record that it takes as a parameter beside the image, empty if none; null
 *     if it cannot read the image
 */
public record Kernel(
        String name,
        String lookUp,
        Function<Image, LaunchShape> shape,
        Function<Image, int @Nullable []> parameters) {
    /** Begins the names of kernels that are made of a look-up. */
    public static final String PLAIN = "classify_";

    /** Most blocks of a grid in its second dimension. */
    private static final int MOST_PARTS = 65_535;

    private static final int[] NONE = {};

    /**
     * A look-up of a thread a header, its words in shared memory, that reads every image: the CUDA
     * function of the kernel's name behind {@link #PLAIN}, in the header of that name. Kernels and
     * the look-up of images within images are generated from it.
     */
    public static Kernel plain(String name) {
        return plain(name, name.substring(PLAIN.length()));
    }

    /**
     * As {@link #plain(String)}, where the look-up has another name than the kernel.
     *
     * @param lookUp the CUDA function {@code uint32_t lookUp(const Image&, const Header&)} of the
     *     header {@code lookUp.cuh}
     */
    public static Kernel plain(String name, String lookUp) {
        return new Kernel(name, lookUp, LaunchShape::staged, image -> NONE);
    }

    /**
     * The kernel, of which only some images can be read.
     *
     * @param reads whether it can read an image
     */
    public Kernel where(Predicate<Image> reads) {
        return new Kernel(
                name, lookUp, shape, image -> reads.test(image) ? parameters.apply(image) : null);
    }

    /**
     * A look-up that takes a record beside the image.
     *
     * @param parameters makes the record, empty if the kernel cannot read the image
     */
    public static Kernel withParameters(
            String name, Function<Image, LaunchShape> shape, Function<Image, int[]> parameters) {
        return new Kernel(
                name,
                "",
                shape,
                image -> {
                    int[] record = parameters.apply(image);
                    return record.length == 0 ? null : record;
                });
    }

    /**
     * A kernel as a paper describes it, for comparison: it unites the parts of a rule set between
     * launches, so it runs on a device alone.
     */
    public static Kernel ofPaper(String name, Function<Image, LaunchShape> shape) {
        return new Kernel(
                name, "", shape, image -> shape.apply(image).parts() <= MOST_PARTS ? NONE : null);
    }
}
