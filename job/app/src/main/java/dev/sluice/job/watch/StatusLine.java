package dev.sluice.job.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.job.EscapedStream;
import dev.sluice.job.EscapedText;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * Status line on stderr.
 *
 * <p>On a terminal it is the last line: each text replaces the text before, and all other output to
 * stderr appears above it. Elsewhere each text is a line of its own.
 *
 * <p>Thread-safe.
 */
public final class StatusLine implements AutoCloseable {
    private static final String ERASE = "\r\033[K";

    private final PrintWriter err;
    private final int columns;
    private final PrintStream stderr;
    private final PrintStream screen;
    private final boolean terminal;
    private String shown = "";

    private StatusLine(PrintWriter err, boolean terminal, int columns) {
        this.err = err;
        this.terminal = terminal;
        this.columns = columns;
        this.stderr = System.err;
        this.screen = EscapedStream.behind(stderr);
        if (terminal) {
            System.setErr(new EscapedStream(new PrintStream(new Above(), true, UTF_8)));
        }
    }

    /**
     * Opens a status line on stderr; on a terminal it takes the place of {@link System#err}.
     *
     * @param err takes the lines where there is no terminal
     */
    public static StatusLine open(PrintWriter err) {
        return open(
                err,
                Boolean.getBoolean("sluice.terminal"), // told by the launcher
                Integer.getInteger("sluice.terminal.columns", 80));
    }

    /**
     * Opens a status line as {@link #open(PrintWriter)} does, on a terminal of a known width or on
     * none.
     */
    static StatusLine open(PrintWriter err, boolean terminal, int columns) {
        return new StatusLine(err, terminal, columns);
    }

    /** Tells whether stderr is a terminal. */
    public boolean isTerminal() {
        return terminal;
    }

    /** Shows a text as the status. */
    public synchronized void show(String text) {
        if (!terminal) {
            println(text);
            return;
        }
        String line = EscapedText.line(text);
        shown = line.length() < columns ? line : line.substring(0, columns - 1);
        screen.print(ERASE + shown);
        screen.flush();
    }

    /** Prints a line that stays. */
    public void println(String text) {
        if (terminal) {
            System.err.println("sluice: " + text);
        } else {
            err.println("sluice: " + text);
            err.flush();
        }
    }

    /** Removes the status line, with the text shown last. */
    @Override
    public synchronized void close() {
        if (terminal) {
            System.err.flush();
            System.setErr(stderr);
            screen.print(ERASE);
            screen.flush();
            shown = "";
        }
    }

    private synchronized void above(byte[] lines) {
        screen.print(ERASE);
        screen.write(lines, 0, lines.length);
        screen.print(shown);
        screen.flush();
    }

    /** Stream that prints whole lines above the status. */
    private final class Above extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            line.write(b);
            if (b == '\n') {
                above(line.toByteArray());
                line.reset();
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            for (int i = from; i < from + length; i++) {
                write(bytes[i]);
            }
        }
    }
}
