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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

/** Writer of the configuration files of a cluster's processes. */
final class ClusterFiles {
    /**
     * Interval of heartbeats. Flink notices an ended process of this machine by its closed socket;
     * heartbeats only find processes that hang. The time-out is long, so that a pause of the JVM
     * does not look like a hang.
     */
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(2);

    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(20);

    /**
     * Time after which a TaskManager frees a slot that its job does not use. Until then a restarted
     * JobManager cannot give the slots of its former jobs to others.
     */
    private static final Duration SLOT_TIMEOUT = HEARTBEAT_TIMEOUT;

    /** Keys of settings of file systems. */
    private static final Pattern FILE_SYSTEMS = Pattern.compile("(fs|s3|s3a|s3p|presto|gs)\\..*");

    private ClusterFiles() {}

    /**
     * Writes {@code conf}.
     *
     * @param rpcPort port on which TaskManagers reach the JobManager
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
        String text =
                ConfigurationUtils.convertConfigToWritableLines(config, true).stream()
                        .sorted()
                        .collect(Collectors.joining("\n", ClusterFolder.HEAD, "\n"));
        try {
            writeForOwner(folder.config(), text);
            String name = ClusterFolder.LOGGING;
            Path logging = folder.conf().resolve(name);
            try (InputStream usual = ClusterFiles.class.getResourceAsStream(name)) {
                if (usual == null) {
                    throw new IllegalStateException(name + " is not on the class path");
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

    /**
     * Reads the settings of file systems, such as access to S3, from the user's own Flink
     * configuration.
     */
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

    /** Writes a file that its owner alone can read, since it may hold keys of file systems. */
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
}
