package dev.sluice.job.table;

import java.io.PrintWriter;

/** Prints lines in pieces, up to a limit, as long as somebody reads them. Not thread-safe. */
public final class LinesOut {
    private static final int FLUSH_AT = 1 << 16;

    private final PrintWriter out;
    private final StringBuilder text = new StringBuilder(FLUSH_AT + 1024);
    private long left;

    /**
     * Lines to a writer.
     *
     * @param limit most lines to print
     */
    public LinesOut(PrintWriter out, long limit) {
        this.out = out;
        this.left = limit;
    }

    /** Lines to a writer, however many. */
    public static LinesOut all(PrintWriter out) {
        return new LinesOut(out, Long.MAX_VALUE);
    }

    /** Prints a line that does not count. */
    public void head(String line) {
        text.append(line).append('\n');
    }

    /** Prints a line; returns whether there is a use for more. */
    public boolean line(String line) {
        text.append(line).append('\n');
        left--;
        return text.length() < FLUSH_AT ? left > 0 : flush();
    }

    /** Lines that the limit lets through. */
    long left() {
        return left;
    }

    /** Hands on what was printed; returns whether there is a use for more. */
    public boolean flush() {
        out.append(text);
        text.setLength(0);
        return !out.checkError() && left > 0; // checkError flushes; true: our reader has gone
    }
}
