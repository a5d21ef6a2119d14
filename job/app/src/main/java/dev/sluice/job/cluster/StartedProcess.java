package dev.sluice.job.cluster;

import dev.sluice.policy.io.SluiceException;
import java.io.File;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Java process with this process's class path that outlives it.
 *
 * <p>The process has no terminal, and a session of its own where the system has {@code setsid}, so
 * that Ctrl-C and a closed terminal do not reach it.
 */
final class StartedProcess {
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    /**
     * Environment variable with the user's JVM options, as for the command itself. The memory
     * options of the cluster's plan follow them on the command line, and so take precedence.
     */
    private static final String USERS_OPTIONS = "SLUICE_JAVA_OPTS";

    private static final int TAIL_LINES = 10;
    private static final int TAIL_BYTES = 16 << 10;

    private final ClusterFolder folder;
    private final String role;
    private final Process process;

    /**
     * Starts a process.
     *
     * @param role names its log
     * @param launch its command line
     */
    StartedProcess(ClusterFolder folder, String role, Launch launch) {
        this.folder = folder;
        this.role = role;
        List<String> line = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            line.add(SETSID.toString());
        }
        if (launch.cores() != null) {
            line.addAll(CoreList.parse(launch.cores()).words());
        }
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(words(System.getenv(USERS_OPTIONS)));
        line.addAll(launch.jvmOptions());
        line.add("--add-opens=java.base/java.util=ALL-UNNAMED");
        line.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        line.add("-Djava.io.tmpdir=" + folder.temporary());
        line.add("-Dlog4j2.configurationFile=" + folder.conf().resolve(ClusterFolder.LOGGING));
        line.add("-Dlog.file=" + folder.log(role));
        line.add("-cp");
        line.add(System.getProperty("java.class.path"));
        line.addAll(launch.words());
        try {
            process =
                    new ProcessBuilder(line)
                            .directory(folder.path().toFile())
                            .redirectInput(new File("/dev/null"))
                            .redirectErrorStream(true)
                            .redirectOutput(folder.printed(role).toFile())
                            .start();
        } catch (IOException e) {
            throw new SluiceException(role + " does not start: " + e.getMessage(), e);
        }
    }

    /** Splits a user's options at blanks. */
    static List<String> words(@Nullable String options) {
        return options == null || options.isBlank()
                ? List.of()
                : List.of(options.strip().split("\\s+"));
    }

    Member member() {
        return Member.of(role, process.toHandle());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns all that the process has printed so far. */
    String printed() {
        return tail(folder.printed(role), Integer.MAX_VALUE);
    }

    /**
     * Fails if the process has ended.
     *
     * @throws SluiceException with one line, followed by the end of the log
     */
    void requireRunning() {
        if (!process.isAlive()) {
            throw new SluiceException(
                    "%s ended with status %d as it started; %s ends with%n%s"
                            .formatted(role, process.exitValue(), folder.log(role), lastWords()));
        }
    }

    /** Returns the last lines of its log and of its output. */
    String lastWords() {
        String logged = tail(folder.log(role), TAIL_LINES);
        String printed = tail(folder.printed(role), TAIL_LINES);
        return (logged + printed).stripTrailing();
    }

    private static String tail(Path file, int most) {
        if (!Files.exists(file)) {
            return "";
        }
        try (var in = Files.newByteChannel(file)) {
            in.position(Math.max(0, in.size() - TAIL_BYTES));
            byte[] end = Channels.newInputStream(in).readAllBytes();
            List<String> lines = new String(end, StandardCharsets.UTF_8).lines().toList();
            StringBuilder text = new StringBuilder();
            for (String line : lines.subList(Math.max(0, lines.size() - most), lines.size())) {
                text.append("  ").append(line).append('\n');
            }
            return text.toString();
        } catch (IOException e) {
            throw new SluiceException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }
}
