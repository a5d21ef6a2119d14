package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.cli.Main;
import dev.sluice.job.cluster.CoreList;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@code sluice} command in a process of its own, so that what it uses can be told apart. */
final class SluiceProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final Process process;
    private final BufferedReader out;
    private final String command;
    private final Path log;

    /**
     * Starts a command on any core.
     *
     * @param log takes what it says on standard error
     * @throws SluiceException if it does not start
     */
    SluiceProcess(Path log, int heapMegabytes, List<String> arguments) {
        this(log, heapMegabytes, null, arguments);
    }

    /**
     * Starts a command.
     *
     * @param log takes what it says on standard error
     * @param cores that it is kept on; null: any
     * @throws SluiceException if it does not start
     */
    SluiceProcess(Path log, int heapMegabytes, @Nullable CoreList cores, List<String> arguments) {
        this.command = arguments.get(0);
        this.log = log;
        List<String> line = new ArrayList<>(cores == null ? List.of() : cores.words());
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Xmx" + heapMegabytes + "m");
        line.add("-cp");
        line.add(System.getProperty("java.class.path"));
        line.add(Main.class.getName());
        line.addAll(arguments);
        try {
            process = new ProcessBuilder(line).redirectError(log.toFile()).start();
        } catch (IOException e) {
            throw new SluiceException(said("does not start: " + e.getMessage()), e);
        }
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * The next line of its standard output.
     *
     * @throws SluiceException if there is none, with what it said on standard error
     */
    String line() {
        try {
            String line = out.readLine();
            if (line == null) {
                throw new SluiceException(said("ended: " + Files.readString(log).strip()));
            }
            return line;
        } catch (IOException e) {
            throw new SluiceException(said("cannot be read: " + e.getMessage()), e);
        }
    }

    private String said(String what) {
        return "sluice %s in a process of its own %s".formatted(command, what);
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** Whether it still runs. */
    boolean runs() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
