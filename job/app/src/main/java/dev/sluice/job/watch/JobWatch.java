package dev.sluice.job.watch;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Display of a running job's figures at a fixed interval. Used by one thread. */
public final class JobWatch {
    /** Least time between two readings of the figures. */
    private static final long OFTEN_NANOS = 1_000_000_000L;

    private final Supplier<JobFigures> source;
    private final StatusLine line;
    private final long everyNanos;
    private final LongSupplier clock;
    private final long startedNanos;
    private JobFigures last = JobFigures.NONE;
    private long lastNanos;
    private long lookedNanos;
    private long version = -1;

    /**
     * Starts a display.
     *
     * @param source reads the job's figures
     * @param every interval of lines where there is no terminal; null: nothing is shown, not even
     *     on a terminal
     */
    public JobWatch(Supplier<JobFigures> source, StatusLine line, @Nullable Duration every) {
        this(source, line, every, System::nanoTime);
    }

    JobWatch(
            Supplier<JobFigures> source,
            StatusLine line,
            @Nullable Duration every,
            LongSupplier clock) {
        this.source = source;
        this.line = line;
        this.clock = clock;
        this.everyNanos =
                every == null ? Long.MAX_VALUE : line.isTerminal() ? OFTEN_NANOS : every.toNanos();
        this.startedNanos = clock.getAsLong();
        this.lastNanos = startedNanos;
        this.lookedNanos = startedNanos;
    }

    /** Shows the job's figures, if the interval has passed. */
    public void look() {
        long now = clock.getAsLong();
        if (now - lookedNanos < Math.min(OFTEN_NANOS, everyNanos)) {
            return;
        }
        lookedNanos = now;
        JobFigures figures = source.get();
        sayVersion(figures);
        if (now - lastNanos < everyNanos) {
            return;
        }
        line.show(
                StatusText.line(
                        last, figures, (now - lastNanos) / 1e9, System.currentTimeMillis()));
        last = figures;
        lastNanos = now;
    }

    /** Prints the version of the rules that is in force in all tasks, if it has changed. */
    private void sayVersion(JobFigures figures) {
        long now = figures.has(JobMetric.VERSION) ? figures.number(JobMetric.VERSION) : -1;
        if (now >= 0 && now != version) {
            version = now;
            line.println("version %d of the rules is in force in all tasks".formatted(now));
        }
    }

    /**
     * Describes what an interrupted job has done and what it leaves unread.
     *
     * @param next how the user continues the job
     */
    public String interrupted(String next) {
        return StatusText.interrupted(
                source.get(),
                (clock.getAsLong() - startedNanos) / 1_000_000,
                System.currentTimeMillis(),
                next);
    }

    /**
     * Describes what a job has done that continues elsewhere.
     *
     * @param next where the job continues
     */
    public String left(String next) {
        return StatusText.left(source.get(), next);
    }
}
