package dev.sluice.job.watch;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows where a job stands, as often as is asked for. Used by one thread. */
public final class JobWatch {
    /** How often it is looked whether there is something to say. */
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
     * A watch.
     *
     * @param source tells where the job stands
     * @param every how often lines come where there is no terminal; null: never, there neither
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

    /** Shows where the job stands, if it is time. */
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

    /** Says that another version judges the packets of all tasks, if that is so. */
    private void sayVersion(JobFigures figures) {
        long now = figures.has(JobMetric.VERSION) ? figures.number(JobMetric.VERSION) : -1;
        if (now >= 0 && now != version) {
            version = now;
            line.println("version %d of the rules is in force in all tasks".formatted(now));
        }
    }

    /**
     * What the job has done, and what it leaves, where it is interrupted now.
     *
     * @param next how what is left is done
     */
    public String interrupted(String next) {
        return StatusText.interrupted(
                source.get(),
                (clock.getAsLong() - startedNanos) / 1_000_000,
                System.currentTimeMillis(),
                next);
    }

    /**
     * Where a job stands that goes on elsewhere.
     *
     * @param next what becomes of it
     */
    public String left(String next) {
        return StatusText.left(source.get(), next);
    }
}
