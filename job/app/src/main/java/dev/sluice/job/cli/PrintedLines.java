package dev.sluice.job.cli;

import dev.sluice.job.replay.LineBytes;
import java.io.PrintWriter;

/** Lines on standard output, whose reader may go. */
final class PrintedLines implements LineBytes.Output {
    private final PrintWriter out;
    private volatile boolean unread;

    PrintedLines(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void write(LineBytes lines) {
        if (out instanceof Utf8Writer bytes) {
            bytes.write(lines);
        } else {
            out.append(lines.toString());
        }
        flush(); // looks whether somebody reads
    }

    @Override
    public void flush() {
        unread |= out.checkError();
    }

    /** Returns whether nobody reads the lines any more. */
    boolean isUnread() {
        return unread;
    }
}
