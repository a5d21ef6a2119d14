package dev.sluice.job.cli;

import java.io.OutputStream;
import java.io.PrintWriter;

/** Standard output and error of commands. */
public final class Console {
    private Console() {}

    /** A writer of UTF-8, buffered, that flushes at the end of each printed line. */
    public static PrintWriter writer(OutputStream stream) {
        return new Utf8Writer(stream);
    }

    /** Tells whether standard output is a terminal, as the launcher has found. */
    static boolean isTerminal() {
        return columns() > 0;
    }

    /** Characters of a line of the terminal; 0 if standard output is none. */
    static int columns() {
        return Integer.getInteger("sluice.columns", 0);
    }
}
