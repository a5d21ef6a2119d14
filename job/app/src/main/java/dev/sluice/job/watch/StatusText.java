package dev.sluice.job.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Texts that describe the figures of a job. */
public final class StatusText {
    private static final String BETWEEN = " | ";

    private StatusText() {}

    /**
     * Formats a status line.
     *
     * @param before figures of an earlier time
     * @param now figures of now
     * @param seconds time between both
     * @param nowMillis the time, in ms since 1970
     */
    static String line(JobFigures before, JobFigures now, double seconds, long nowMillis) {
        List<String> parts = new ArrayList<>();
        parts.add(
                "in %s/s, out %s/s"
                        .formatted(
                                rate(before, now, JobMetric.HEADERS, seconds),
                                rate(before, now, JobMetric.VERDICTS, seconds)));
        parts.add(rules(now, nowMillis));
        parts.add(left(now));
        parts.add(count(now, JobMetric.DEAD_LETTERS) + " dead");
        parts.add(checkpoint(before, now, nowMillis));
        parts.add("batches %.0f %% full".formatted(100 * now.share(JobMetric.BATCH_FILL)));
        parts.add(device(before, now));
        if (now.number(JobMetric.WAITING) > 0) {
            parts.add(count(now, JobMetric.WAITING) + " wait for rules");
        }
        return String.join(BETWEEN, parts);
    }

    /**
     * Formats the lag; for captures, the number that was read, since the number left is unknown.
     */
    private static String left(JobFigures now) {
        if (now.has(JobMetric.CAPTURES)) {
            return "captures read " + count(now, JobMetric.CAPTURES);
        }
        return now.has(JobMetric.LAG) ? "lag " + count(now, JobMetric.LAG) : "lag unknown";
    }

    /**
     * Formats a rate a second, as 950, 12.3 K or 4.56 M; 0 where counters of restarted tasks went
     * back.
     */
    private static String rate(
            JobFigures before, JobFigures now, JobMetric metric, double seconds) {
        double more = now.number(metric) - before.number(metric);
        double rate = seconds > 0 ? Math.max(0, more) / seconds : 0;
        if (rate >= 999_500) {
            return String.format(Locale.ROOT, "%.2f M", rate / 1e6);
        }
        return String.format(Locale.ROOT, rate >= 999.5 ? "%.1f K" : "%.0f", rate / scale(rate));
    }

    private static double scale(double rate) {
        return rate >= 999.5 ? 1e3 : 1;
    }

    private static String count(JobFigures now, JobMetric metric) {
        return String.format(Locale.ROOT, "%,d", now.number(metric));
    }

    private static String rules(JobFigures now, long nowMillis) {
        if (!now.has(JobMetric.VERSION) || now.number(JobMetric.VERSION) < 0) {
            return "waits for rules";
        }
        long since = now.number(JobMetric.VERSION_SINCE);
        return "rules %d for %s"
                .formatted(now.number(JobMetric.VERSION), age(Math.max(0, nowMillis - since)));
    }

    /**
     * Formats the age of the newest checkpoint, and the failures since the last line. While tasks
     * start, some checkpoints always fail.
     */
    private static String checkpoint(JobFigures before, JobFigures now, long nowMillis) {
        long more = now.failedCheckpoints() - before.failedCheckpoints();
        String failed = more > 0 ? ", %d failed".formatted(more) : "";
        return now.checkpointMillis() < 0
                ? "no checkpoint yet" + failed
                : "checkpoint %s ago%s"
                        .formatted(age(Math.max(0, nowMillis - now.checkpointMillis())), failed);
    }

    /**
     * Tells which device looked up the batches since the last line, or since the start if there was
     * none.
     */
    private static String device(JobFigures before, JobFigures now) {
        if (now.number(JobMetric.DEVICE_RESTS) > 0) {
            return "CPU, a GPU failed";
        }
        long device =
                now.number(JobMetric.DEVICE_BATCHES) - before.number(JobMetric.DEVICE_BATCHES);
        long cpu = now.number(JobMetric.CPU_BATCHES) - before.number(JobMetric.CPU_BATCHES);
        if (device < 0 || cpu < 0 || device + cpu == 0) {
            device = now.number(JobMetric.DEVICE_BATCHES);
            cpu = now.number(JobMetric.CPU_BATCHES);
        }
        return device == 0 ? "CPU" : "GPU %.0f %%".formatted(100.0 * device / (device + cpu));
    }

    /** Formats an age as 7 s, 12 min, 3 h or 5 d. */
    static String age(long millis) {
        Duration age = Duration.ofMillis(millis);
        if (age.toMinutes() < 2) {
            return age.toSeconds() + " s";
        }
        if (age.toHours() < 2) {
            return age.toMinutes() + " min";
        }
        return age.toDays() < 2 ? age.toHours() + " h" : age.toDays() + " d";
    }

    /**
     * Describes what an interrupted job has done and what it leaves unread.
     *
     * @param ranMillis how long the job ran
     * @param nowMillis the time, in ms since 1970
     * @param next how the user continues the job
     */
    public static String interrupted(JobFigures last, long ranMillis, long nowMillis, String next) {
        String lag =
                last.has(JobMetric.LAG)
                        ? "%s messages of packets are not read"
                                .formatted(count(last, JobMetric.LAG))
                        : last.has(JobMetric.CAPTURES)
                                ? "captures read to their end: " + count(last, JobMetric.CAPTURES)
                                : "how many packets are left is not known";
        String committed =
                last.checkpointMillis() < 0
                        ? "no checkpoint was complete, so nothing of it is committed"
                        : "what came in the %s since the newest checkpoint is not committed"
                                .formatted(age(Math.max(0, nowMillis - last.checkpointMillis())));
        return "stopped after %s: %s packets judged, %s dead letters; %s; %s; %s"
                .formatted(
                        age(ranMillis),
                        count(last, JobMetric.JUDGED),
                        count(last, JobMetric.DEAD_LETTERS),
                        committed,
                        lag,
                        next);
    }

    /** Describes what a job has done when its display ends. */
    static String left(JobFigures last, String next) {
        return "%s: %s packets judged, %s dead letters by now"
                .formatted(
                        next, count(last, JobMetric.JUDGED), count(last, JobMetric.DEAD_LETTERS));
    }
}
