package dev.sluice.job.table;

import java.io.PrintWriter;

/** Buffered output of lines, up to a limit, while somebody reads them. Not thread-safe. */
public final class LinesOut {
    private static final int FLUSH_AT = 1 << 16;

    private final PrintWriter out;
    private final StringBuilder text = new StringBuilder(FLUSH_AT + 1024);
    private long left;

    /**
     * Creates an output to a writer.
     *
     * @param limit maximal number of lines
     */
    public LinesOut(PrintWriter out, long limit) {
        this.out = out;
        this.left = limit;
    }

    /** Creates an output without a limit. */
    public static LinesOut all(PrintWriter out) {
        return new LinesOut(out, Long.MAX_VALUE);
    }

    /** Prints a line that does not count. */
    public void head(String line) {
        text.append(line).append('\n');
    }

    /** Prints a line; returns whether further lines are wanted. */
    public boolean line(String line) {
        text.append(line);
        return end();
    }

    /** The line that comes next, as far as it is made. */
    public StringBuilder begun() {
        return text;
    }

    /** Ends the line that was begun; tells whether more are wanted. */
    public boolean end() {
        text.append('\n');
        left--;
        return text.length() < FLUSH_AT ? left > 0 : flush();
    }

    /** Returns the number of lines that the limit still allows. */
    long left() {
        return left;
    }

    /** Flushes the printed lines; returns whether further lines are wanted. */
    public boolean flush() {
        out.append(text);
        text.setLength(0);
        return !out.checkError() && left > 0; // checkError flushes; true: the reader has gone
    }
}
