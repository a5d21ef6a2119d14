package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.flink.core.classloading.ComponentClassLoader;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's server and its libraries, in a class loader of their own. The server is newer than the
 * connector's clients (decision 0122).
 */
public final class BrokerLibrary {
    private static final String FOLDER = "broker-lib";
    private static final String SERVER = "dev.sluice.broker.BrokerServer";

    /** Packages of the logging classes, which both sides share besides Java's own. */
    private static final String[] SHARED = {"org.slf4j", "org.apache.logging.log4j"};

    private static @Nullable Method start;

    private BrokerLibrary() {}

    /** Returns the folder of the jars, beside the jar or the folder of this class. */
    public static Path folder() {
        try {
            URL classes = BrokerLibrary.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(classes.toURI()).resolveSibling(FOLDER);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a location of classes is no URI", e);
        }
    }

    /**
     * Starts a broker and waits until it serves.
     *
     * @param cluster id with which new storage is formatted
     * @param config properties of the broker
     * @param failed receives status and message where Kafka's code would end the process
     * @return stops the broker, and waits until it has stopped
     * @throws SluiceException if the jars do not exist
     */
    static Runnable start(String cluster, Path config, BiConsumer<Integer, @Nullable String> failed)
            throws IOException {
        try {
            return (Runnable) method().invoke(null, cluster, config, failed);
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the broker's jars are of another build", e);
        }
    }

    /**
     * Returns the server's start method. The classes are loaded once, since loading thousands of
     * them takes longer than starting a broker.
     */
    private static synchronized Method method() throws IOException, ReflectiveOperationException {
        Method found = start;
        if (found == null) {
            found =
                    new ComponentClassLoader(
                                    jars(),
                                    BrokerLibrary.class.getClassLoader(),
                                    SHARED,
                                    new String[0],
                                    Map.of())
                            .loadClass(SERVER)
                            .getMethod("start", String.class, Path.class, BiConsumer.class);
            start = found;
        }
        return found;
    }

    private static URL[] jars() throws IOException {
        List<URL> jars = new ArrayList<>();
        if (Files.isDirectory(folder())) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder(), "*.jar")) {
                for (Path jar : files) {
                    jars.add(jar.toUri().toURL());
                }
            }
        }
        if (jars.isEmpty()) {
            throw new SluiceException(
                    "the broker's jars are not in %s; start it with the sluice command of a checkout or an archive"
                            .formatted(folder()));
        }
        return jars.toArray(URL[]::new);
    }
}
