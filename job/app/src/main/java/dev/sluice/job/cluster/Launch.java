package dev.sluice.job.cluster;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Command line of a process, for its start and restarts.
 *
 * @param cores on which it is kept, as in 4-9; null: any
 * @param jvmOptions of this process alone
 * @param words main class and arguments
 */
record Launch(@Nullable String cores, List<String> jvmOptions, List<String> words) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the lists. */
    Launch {
        jvmOptions = List.copyOf(jvmOptions);
        words = List.copyOf(words);
    }

    /** Starts a process. */
    StartedProcess start(ClusterFolder folder, String role) {
        CoreList on = cores == null ? null : CoreList.parse(cores);
        return new StartedProcess(folder, role, on, jvmOptions, words);
    }

    /** Writes the launches by role into a cluster's folder. */
    static void write(ClusterFolder folder, Map<String, Launch> launches) {
        Path file = file(folder);
        try {
            Files.write(
                    file,
                    JSON.writerWithDefaultPrettyPrinter()
                            .writeValueAsBytes(new TreeMap<>(launches)));
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** Reads the launches that {@link #write} has written. */
    static Map<String, Launch> read(ClusterFolder folder) {
        Path file = file(folder);
        try {
            return JSON.readValue(Files.readAllBytes(file), new TypeReference<>() {});
        } catch (IOException e) {
            throw new SluiceException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    private static Path file(ClusterFolder folder) {
        return folder.conf().resolve("launches.json");
    }
}
