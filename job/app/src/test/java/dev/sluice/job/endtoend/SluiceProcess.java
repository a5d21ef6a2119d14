package dev.sluice.job.endtoend;

import dev.sluice.job.Sluice;
import dev.sluice.job.cli.Main;
import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A command in a process of its own, which a test can kill. */
class SluiceProcess implements AutoCloseable {
    private static final int SIGKILL_STATUS = 128 + 9;

    /** What is logged on the terminal, in the repository. */
    private static final String LOGGING = "deploy/conf/log4j2-cli.properties";

    private static final Pattern LISTENS = Pattern.compile("Kafka broker at (\\S+), data in ");

    private final Process process;
    private final Path log;

    /**
     * Starts a command.
     *
     * @param log takes what it prints, behind what is there
     * @param arguments of the command line
     */
    SluiceProcess(Path log, Object... arguments) throws IOException {
        this.log = log;
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Sluice.SHORT_LIVED);
        command.addAll(
                List.of(
                        "-Xmx700m",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "-Dlog4j2.configurationFile=" + Path.of("../..", LOGGING),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()));
        for (Object word : arguments) {
            command.add(word.toString());
        }
        process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
    }

    /** Starts a broker, on any port, with its data and log in a folder. */
    static SluiceProcess broker(Path folder) throws IOException {
        return new SluiceProcess(
                folder.resolve("broker.log"),
                "broker",
                "--data",
                folder.resolve("broker"),
                "--port",
                0);
    }

    /** Where a broker listens, once it says so. */
    String address() throws IOException {
        while (true) {
            requireRunning();
            Matcher said = LISTENS.matcher(printed());
            if (said.find()) {
                return said.group(1);
            }
            Await.pause();
        }
    }

    /** Number of the process. */
    long pid() {
        return process.pid();
    }

    /** Whether it has not ended. */
    boolean isRunning() {
        return process.isAlive();
    }

    /** Fails with what it printed if it has ended. */
    void requireRunning() throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError(
                    "it ended with status " + process.exitValue() + ":\n" + printed());
        }
    }

    /** The end of what this process and those before it printed. */
    String printed() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
    }

    /** Ends the process by SIGKILL; fails if it was not running any more. */
    void kill() throws IOException, InterruptedException {
        requireRunning();
        int status = process.destroyForcibly().waitFor();
        if (status != SIGKILL_STATUS) {
            throw new AssertionError("it ended by itself, with status " + status);
        }
    }

    /** Has the process do nothing until it is to go on. */
    void suspend() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Ends {@link #suspend}. */
    void goOn() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String which) throws IOException, InterruptedException {
        requireRunning();
        int status =
                new ProcessBuilder("kill", which, String.valueOf(process.pid())).start().waitFor();
        if (status != 0) {
            throw new AssertionError("kill " + which + " ended with status " + status);
        }
    }

    /** Asks the process to end, as Ctrl-C does; returns its status. */
    int terminate() throws IOException, InterruptedException {
        requireRunning();
        process.destroy();
        return process.waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
