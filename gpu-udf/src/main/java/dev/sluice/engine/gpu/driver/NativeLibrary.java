package dev.sluice.engine.gpu.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads JCuda's native library.
 *
 * <p>JCuda unpacks its library to a fixed name in {@code java.io.tmpdir}. The JVM lets only one
 * class loader load a library from one path, so a second job in the same process, which has a class
 * loader of its own, needs another path: the property points to a new folder for as long as JCuda's
 * class is initialized.
 */
final class NativeLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    private NativeLibrary() {}

    /**
     * Loads the library.
     *
     * @throws GpuException if it cannot be unpacked, or there is no CUDA driver to link it with
     */
    static void load() {
        Path own = null;
        synchronized (System.getProperties()) {
            String before = System.getProperty("java.io.tmpdir");
            try {
                own = Files.createTempDirectory("sluice-jcuda");
                System.setProperty("java.io.tmpdir", own.toString());
                JCudaDriver.setExceptionsEnabled(false);
            } catch (IOException e) {
                throw new GpuException(
                        0, "cannot unpack JCuda's library to " + before + ": " + e.getMessage());
            } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError e) {
                throw new GpuException(
                        0,
                        "no CUDA driver: JCuda's library does not load ("
                                + firstLine(e)
                                + "); install NVIDIA's driver, 470 or later");
            } finally {
                System.setProperty("java.io.tmpdir", before);
                delete(own);
            }
        }
    }

    private static String firstLine(Throwable e) {
        String message = String.valueOf(e.getMessage());
        int missing = message.indexOf("libcuda");
        if (missing >= 0) {
            message = message.substring(missing);
        }
        return message.lines().findFirst().orElse(e.getClass().getSimpleName());
    }

    /** Deletes the folder: a library that is loaded stays loaded without its file. */
    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            LOG.debug("{} stays behind", folder, e);
        }
    }
}
