package dev.sluice.job.replay;

import dev.sluice.job.EscapedStream;
import dev.sluice.job.EscapedText;
import dev.sluice.policy.io.Amount;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Progress display on stderr: a bar on a terminal, otherwise a line every few seconds. Not
 * thread-safe.
 */
public final class Progress implements AutoCloseable {
    private static final long LINE_EVERY_NANOS = 3_000_000_000L;

    /** Width of a terminal of unknown width. */
    private static final int COLUMNS = 80;

    /** Interval of lines while no work is done. */
    private static final long STILL_EVERY_NANOS = 60_000_000_000L;

    private final PrintWriter err;
    private final String what;
    private final String unit;
    private final @Nullable ProgressBar bar;
    private long lastDone;
    private long lastPrinted;
    private boolean begun;
    private boolean complete;
    private long lastLine = System.nanoTime();

    /** Starts a display of work that is counted in packets. */
    public Progress(PrintWriter err, String what) {
        this(err, what, "packets");
    }

    /**
     * Starts a display of work.
     *
     * @param unit of the count, a plural that ends with s
     */
    public Progress(PrintWriter err, String what, String unit) {
        this.err = err;
        this.what = what;
        this.unit = unit;
        boolean terminal = Boolean.getBoolean("sluice.terminal"); // told by the launcher
        this.bar = terminal ? bar(what, unit) : null;
    }

    private static ProgressBar bar(String what, String unit) {
        ProgressBarBuilder bar =
                new ProgressBarBuilder()
                        .setTaskName(EscapedText.line(what))
                        .setInitialMax(-1)
                        .setUnit(" " + unit, 1)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(200)
                        .showSpeed();
        // Told by the launcher; the library itself finds no width without a native library.
        int columns = Integer.getInteger("sluice.terminal.columns", COLUMNS);
        PrintStream screen = EscapedStream.behind(System.err);
        return bar.setConsumer(new ConsoleProgressBarConsumer(screen, columns)).build();
    }

    /**
     * Shows the progress.
     *
     * @param total amount of work, as far as it is known
     * @param known whether the total is final
     */
    public void at(long done, long total, boolean known) {
        String more = known ? "" : " or more";
        show(
                done,
                known && done == total,
                known ? total : -1,
                () -> "%s: %,d of %,d%s %s".formatted(what, done, total, more, unit));
    }

    private void show(long done, boolean all, long most, Supplier<String> line) {
        begun = true;
        lastDone = done;
        complete = all;
        if (bar != null) {
            bar.maxHint(most);
            bar.stepTo(done);
        } else if (isLineDue(done)) {
            err.println(line.get());
            err.flush();
        }
    }

    /**
     * Shows the progress by the share of the input that was read.
     *
     * @param part from 0 to 1; NaN: unknown
     */
    public void at(long done, double part) {
        if (Double.isNaN(part)) {
            at(done, done, false);
            return;
        }
        show(
                done,
                false,
                part > 0 ? Math.max(done, (long) (done / part)) : -1,
                () ->
                        "%s: %,d %s, %d %% of the input"
                                .formatted(what, done, unit, (int) (100 * part)));
    }

    private boolean isLineDue(long done) {
        long now = System.nanoTime();
        boolean due = now - lastLine > (done == lastPrinted ? STILL_EVERY_NANOS : LINE_EVERY_NANOS);
        if (due) {
            lastPrinted = done;
            lastLine = now;
        }
        return due;
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        } else if (begun) {
            String end = complete ? "done" : "not done";
            String one = unit.substring(0, unit.length() - 1);
            err.printf("%s: %s, %s%n", what, Amount.of(lastDone, one), end);
            err.flush();
        }
    }
}
