package dev.sluice.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.cli.Main;
import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs the command line, in this process or in one of its own. */
public record Sluice(int status, String out, String err) {
    /** Options of a JVM that lives for seconds: what C2 would compile is not run often enough. */
    public static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /** Runs a command and keeps what it prints. */
    public static Sluice run(Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = run(out, err, arguments);
        return new Sluice(status, out.toString(), err.toString());
    }

    /** Runs a command, which must succeed. */
    public static Sluice ok(Object... arguments) {
        return ok(run(arguments));
    }

    /** Requires that a command has succeeded. */
    public static Sluice ok(Sluice run) {
        assertEquals(0, run.status(), () -> run.out() + run.err());
        return run;
    }

    private static int run(StringWriter out, StringWriter err, Object... arguments) {
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        return Main.run(words, new PrintWriter(out), new PrintWriter(err));
    }

    /** A command in a process of its own. */
    public static ProcessBuilder process(Object... words) {
        return processWith("", words);
    }

    /** The same with more on its class path: entries that each begin with the separator. */
    public static ProcessBuilder processWith(String moreClasses, Object... words) {
        // Tests that run in the background of a script ignore SIGINT, and so would the command.
        List<String> line = new ArrayList<>(List.of("env", "--default-signal=INT"));
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(SHORT_LIVED);
        line.add("--add-opens=java.base/java.util=ALL-UNNAMED");
        line.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        line.add("-cp");
        line.add(System.getProperty("java.class.path") + moreClasses);
        line.add(Main.class.getName());
        Stream.of(words).map(Object::toString).forEach(line::add);
        return new ProcessBuilder(line);
    }

    /**
     * Runs a process to its end.
     *
     * @param err takes what it prints on stderr
     */
    public static Sluice end(ProcessBuilder process, Path err)
            throws IOException, InterruptedException {
        Process running = process.redirectError(err.toFile()).start();
        String out = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Sluice(running.waitFor(), out, Files.readString(err));
    }

    /** What is waited for; it may look at Kafka first. */
    public interface Condition {
        /** Whether it is so now. */
        boolean holds() throws Exception;
    }

    /** A command that goes on, in a thread of its own, until it is closed. */
    public static final class Running implements AutoCloseable {
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final Thread thread;
        private int status;

        /** Starts a command. */
        public Running(Object... arguments) {
            thread = new Thread(() -> status = run(out, err, arguments), "sluice " + arguments[0]);
            thread.start();
        }

        /** What it has printed so far. */
        public String out() {
            return out.toString();
        }

        /** What it has printed on stderr so far. */
        public String err() {
            return err.toString();
        }

        /** Waits until something is so; the command must go on until then. */
        public void await(Condition reached) {
            while (!holds(reached)) {
                assertTrue(thread.isAlive(), () -> "it has ended: " + out + err);
                assertFalse(Thread.interrupted(), () -> "it does not come: " + out + err);
                Await.pause();
            }
        }

        private static boolean holds(Condition condition) {
            try {
                return condition.holds();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        /** Waits until it has ended by itself. */
        public Sluice end() throws InterruptedException {
            thread.join();
            return new Sluice(status, out(), err());
        }

        @Override
        public void close() throws InterruptedException {
            thread.interrupt();
            thread.join();
        }
    }
}
