package dev.sluice.job.cluster;

import dev.sluice.job.flink.WebInterface;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

/** Writes the configuration of a cluster's processes. */
final class ClusterFiles {
    static final String LOGGING = "log4j2.properties";

    /**
     * A process of this machine that is gone is seen at once, as its socket is closed; this is for
     * one that hangs. A pause of the JVM must not look like that.
     */
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);

    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(20);

    /**
     * How long a TaskManager keeps a slot for a job that does not use it. A JobManager that was
     * started again cannot give the slots of its former jobs to others before.
     */
    private static final Duration SLOT_TIMEOUT = HEARTBEAT_TIMEOUT;

    /** Settings of file systems, by their keys. */
    private static final Pattern FILE_SYSTEMS = Pattern.compile("(fs|s3|s3a|s3p|presto|gs)\\..*");

    private ClusterFiles() {}

    /**
     * Writes {@code conf}.
     *
     * @param rpcPort on which TaskManagers reach the JobManager
     * @param webControl whether the web interface may submit and cancel jobs
     */
    static void write(
            ClusterFolder folder,
            ClusterState state,
            TaskManagerMemory parts,
            int rpcPort,
            boolean webControl) {
        Configuration config = fileSystems();
        WebInterface.protect(config, state.host(), state.web(), webControl);
        addresses(config, state, rpcPort);
        config.addAll(folder.jobConfiguration());
        config.set(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL);
        config.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT);
        config.set(TaskManagerOptions.SLOT_TIMEOUT, SLOT_TIMEOUT);
        config.set(RpcOptions.ASK_TIMEOUT_DURATION, LocalFlink.RPC_TIMEOUT);
        config.set(CoreOptions.TMP_DIRS, folder.temporary().toString());
        config.set(WebOptions.TMP_DIR, folder.temporary().toString());
        config.set(WebOptions.UPLOAD_DIR, folder.temporary().resolve("uploads").toString());
        config.set(TaskManagerOptions.NUM_TASK_SLOTS, state.slots());
        config.set(TaskManagerOptions.CPU_CORES, (double) state.slots());
        parts.addTo(config);
        Map<String, String> sorted = new TreeMap<>(config.toMap());
        String text =
                sorted.entrySet().stream()
                        .map(e -> e.getKey() + ": " + quoted(e.getValue()) + "\n")
                        .collect(Collectors.joining());
        try {
            writeForOwner(folder.config(), ClusterFolder.HEAD + text);
            Path logging = folder.conf().resolve(LOGGING);
            try (InputStream usual = ClusterFiles.class.getResourceAsStream(LOGGING)) {
                if (usual == null) {
                    throw new IllegalStateException(LOGGING + " is not on the class path");
                }
                if (!Files.exists(logging)) {
                    Files.copy(usual, logging);
                }
            }
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be written: %s".formatted(folder.conf(), e.getMessage()), e);
        }
    }

    /** What the user's own configuration of Flink says of file systems, as access to S3. */
    private static Configuration fileSystems() {
        Configuration config = new Configuration();
        GlobalConfiguration.loadConfiguration()
                .toMap()
                .forEach(
                        (key, value) -> {
                            if (FILE_SYSTEMS.matcher(key).matches()) {
                                config.setString(key, value);
                            }
                        });
        return config;
    }

    /** Keys of file systems are nobody else's business. */
    private static void writeForOwner(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(file, text);
    }

    private static void addresses(Configuration config, ClusterState state, int rpcPort) {
        config.set(JobManagerOptions.ADDRESS, state.host());
        config.set(JobManagerOptions.PORT, rpcPort);
        config.set(RestOptions.PORT, state.webPort());
        config.set(TaskManagerOptions.HOST, state.host());
        config.set(TaskManagerOptions.BIND_HOST, state.host());
        config.set(BlobServerOptions.PORT, "0");
    }

    /** A text as YAML has it between single quotes. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
