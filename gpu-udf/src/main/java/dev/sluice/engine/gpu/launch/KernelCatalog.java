package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.lookup.LaunchShape;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which kernels read an image, and how they are launched: those of its {@link Algorithm}, and those
 * that serve all. Thread-safe.
 */
public final class KernelCatalog {
    /** Only moves the bytes of headers and verdicts, to measure what that costs. */
    public static final String TRIVIAL = "trivial";

    /** Reads memory at random, to measure it. */
    public static final String GATHER = "gather";

    /** Looks up behind an image's kernel what changed since the image was compiled. */
    public static final String OVERLAY = "overlay";

    /** Begins the names of kernels that stay. */
    public static final String RESIDENT = "resident_";

    private static final int[] NO_PARAMETERS = {};

    private KernelCatalog() {}

    /** Names of the kernels of an algorithm, the one that is used first. */
    public static List<String> names(Algorithm algorithm) {
        return algorithm.kernels().stream().map(Kernel::name).toList();
    }

    /** The kernel of an image's algorithm that has a name; none for those that serve all. */
    private static Optional<Kernel> find(String name, Image image) {
        return Algorithm.ofCode(image.algorithm()).kernels().stream()
                .filter(kernel -> kernel.name().equals(name))
                .findFirst();
    }

    /**
     * The record that a kernel takes as a parameter beside the image.
     *
     * @return null if the kernel cannot read the image; empty if it takes no record
     */
    public static int @Nullable [] parameters(String kernel, Image image) {
        Kernel found = find(kernel, image).orElse(null);
        return found == null ? NO_PARAMETERS : found.parameters().apply(image);
    }

    /** Returns whether a kernel reads an image; the CPU always can. */
    public static boolean reads(Image image) {
        return first(image).isPresent();
    }

    /**
     * The first kernel that can read an image.
     *
     * @throws IllegalStateException if none can
     */
    public static String of(Image image) {
        return first(image)
                .map(Kernel::name)
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "no kernel reads an image of "
                                                + Algorithm.ofCode(image.algorithm()).label()));
    }

    private static Optional<Kernel> first(Image image) {
        return Algorithm.ofCode(image.algorithm()).kernels().stream()
                .filter(kernel -> kernel.parameters().apply(image) != null)
                .findFirst();
    }

    /** The launch of a kernel over an image. */
    public static LaunchShape shape(String kernel, Image image) {
        return kernel.equals(TRIVIAL) || kernel.equals(GATHER)
                ? LaunchShape.PLAIN
                : find(kernel, image)
                        .map(found -> found.shape().apply(image))
                        .orElseGet(() -> LaunchShape.staged(image));
    }

    /**
     * The form of a kernel that stays on the device and takes batches from a ring.
     *
     * @return null if there is none: the papers' kernels unite blocks between launches
     */
    public static @Nullable String resident(String kernel) {
        return onHost(kernel) && !kernel.equals(TRIVIAL) ? RESIDENT + kernel : null;
    }

    /**
     * A kernel's call with an image at an address.
     *
     * @param headers address of the headers
     * @param verdicts address of the verdicts
     */
    public static GpuDriver.Call call(
            String kernel, Image image, long address, long headers, long verdicts) {
        int[] parameters = Objects.requireNonNull(parameters(kernel, image));
        LaunchShape shape = shape(kernel, image);
        return new GpuDriver.Call(kernel, shape, address, headers, verdicts, parameters);
    }

    /** The call of the form of a kernel that stays, yet without memory: one block watches it. */
    static GpuDriver.Call residentCall(String kernel, Image image, long address) {
        GpuDriver.Call call = call(kernel, image, address, 0, 0);
        LaunchShape shape = call.shape();
        return new GpuDriver.Call(
                Objects.requireNonNull(resident(kernel)),
                new LaunchShape(shape.threads(), 1, 1, shape.sharedBytes(), false),
                address,
                0,
                0,
                call.parameters());
    }

    /** Returns whether a kernel's look-up is compiled for the CPU, too. */
    public static boolean onHost(String kernel) {
        return !kernel.startsWith("paper_");
    }
}
