package dev.sluice.job.submit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.watch.Interruption;
import dev.sluice.job.watch.JobFigures;
import dev.sluice.job.watch.JobRest;
import dev.sluice.job.watch.JobWatch;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Output of a command that has a job run. */
public final class JobConsole {
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final Set<String> ENDED = Set.of("FINISHED", "FAILED", "CANCELED");

    /** Patience with the end of a job whose command is stopped. */
    private static final long CANCEL_SECONDS = 30;

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final boolean follow;
    private final @Nullable Duration every;
    private volatile boolean watching;

    /**
     * A console.
     *
     * @param json whether figures are printed for a program
     * @param follow whether a job on a cluster is watched until it ends
     * @param every time between two lines of status; null: none come
     */
    public JobConsole(
            PrintWriter out,
            PrintWriter err,
            boolean json,
            boolean follow,
            @Nullable Duration every) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.follow = follow;
        this.every = every;
    }

    /** Returns whether a job is watched, whose last line comes from here. */
    public boolean isWatching() {
        return watching;
    }

    /** Has the process wait, at its end, for the last line about a job that is watched from now. */
    Interruption begin() {
        watching = true;
        ClosingTaskLogFilter.leaveOut();
        return new Interruption(CANCEL_SECONDS);
    }

    /** Says something on stderr. */
    public void say(String text) {
        err.println("sluice: " + text);
    }

    /** Prints the counts of a job that has ended. */
    void print(Outcomes counted) {
        if (json) {
            print(counted.json());
        } else {
            counted.print(out);
        }
    }

    /** Prints the id of a job that was handed over. */
    void submitted(String where, String job) {
        if (json) {
            print(JsonNodeFactory.instance.objectNode().put("job", job).put("submitted_to", where));
        } else {
            out.println("submitted to " + where + " as job " + job);
        }
    }

    private void print(ObjectNode object) {
        out.println(object);
    }

    /** The line of status. */
    StatusLine line() {
        return StatusLine.open(err);
    }

    /** A watch of a job on the line of status. */
    JobWatch watch(Supplier<JobFigures> figures, StatusLine line) {
        return new JobWatch(figures, line, every);
    }

    /**
     * Shows where a job of a cluster stands until it ends or this command is stopped, if that is
     * asked for.
     *
     * @throws SluiceException if the job ends otherwise than well
     */
    void follow(JobRest job) throws InterruptedException {
        if (!follow) {
            return;
        }
        String last;
        try (Interruption interruption = begin();
                StatusLine line = line()) {
            JobWatch shown = watch(() -> figures(job), line);
            while (!interruption.isAsked()) {
                String state = job.state().orElse("");
                if (ENDED.contains(state)) {
                    if (!state.equals("FINISHED")) {
                        throw new SluiceException(
                                "the job has ended as " + state + "; the cluster's logs say why");
                    }
                    out.println("the job has ended");
                    return;
                }
                shown.look();
                Thread.sleep(LOOK.toMillis());
            }
            last = shown.left("the job goes on in its cluster");
        }
        say(last);
    }

    private static JobFigures figures(JobRest job) {
        try {
            return job.figures();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return JobFigures.NONE;
        }
    }
}
