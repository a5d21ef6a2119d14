package dev.sluice.lab.kit;

import dev.sluice.job.cli.Main;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holder of a process. The process ends with its holder, by SIGTERM, and by SIGKILL where that
 * takes longer than 20 s.
 */
public final class LabProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final String name;
    private final Path log;
    private final Process process;
    private final BufferedReader out;

    /**
     * Starts a Java process with the classes of this one.
     *
     * @param name for messages
     * @param log receives standard error, behind what it holds
     * @param cores that the process is kept on; null: any
     * @param java options for Java
     * @throws SluiceException if the process does not start
     */
    public LabProcess(
            String name,
            Path log,
            @Nullable CoreList cores,
            List<String> java,
            Class<?> main,
            List<String> arguments) {
        this.name = name;
        this.log = log;
        List<String> line = new ArrayList<>(cores == null ? List.of() : cores.words());
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(java);
        String logging = System.getProperty("log4j2.configurationFile");
        if (logging != null) {
            line.add("-Dlog4j2.configurationFile=" + logging);
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        line.addAll(arguments);
        try {
            process =
                    new ProcessBuilder(line)
                            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
        } catch (IOException e) {
            throw new SluiceException(said("does not start: " + e.getMessage()), e);
        }
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a {@code sluice} command. */
    public static LabProcess sluice(
            Path log, @Nullable CoreList cores, int heapMegabytes, List<String> arguments) {
        return new LabProcess(
                "sluice " + arguments.get(0),
                log,
                cores,
                List.of("-Xmx" + heapMegabytes + "m"),
                Main.class,
                arguments);
    }

    /**
     * Reads the next line of standard output; null behind the last.
     *
     * @throws SluiceException if it cannot be read
     */
    public @Nullable String readLine() {
        try {
            return out.readLine();
        } catch (IOException e) {
            throw new SluiceException(said("cannot be read: " + e.getMessage()), e);
        }
    }

    /**
     * Reads the next line of standard output.
     *
     * @throws SluiceException if there is none, with the log
     */
    public String requireLine() {
        String line = readLine();
        if (line != null) {
            return line;
        }
        try {
            throw new SluiceException(said("ended: " + Files.readString(log).strip()));
        } catch (IOException e) {
            throw new SluiceException(said("ended; its log cannot be read: " + log), e);
        }
    }

    private String said(String what) {
        return "%s in a process of its own %s".formatted(name, what);
    }

    /** Returns the process, for its CPU time. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Tells whether the process still runs. */
    public boolean runs() {
        return process.isAlive();
    }

    /** Waits until the process has ended. */
    public void await() throws InterruptedException {
        process.waitFor();
    }

    /**
     * Ends the standard input of the process.
     *
     * @throws SluiceException if the process has ended before
     */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new SluiceException(said("has ended: " + e.getMessage()), e);
        }
    }

    /** Ends the process by SIGKILL; what it has printed can still be read. */
    public void kill() throws InterruptedException {
        handle().destroyForcibly(); // that of Process closes the streams under their reader
        await();
    }

    @Override
    public void close() {
        handle().destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                handle().destroyForcibly();
            }
        } catch (InterruptedException e) {
            handle().destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
