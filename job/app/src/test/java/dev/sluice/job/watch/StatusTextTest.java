package dev.sluice.job.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final long NOW = 1_000_000_000L;

    private static JobFigures figures(Object... pairs) {
        Map<JobMetric, Double> metrics = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            metrics.put((JobMetric) pairs[i], ((Number) pairs[i + 1]).doubleValue());
        }
        return new JobFigures(metrics, 3, 0, NOW - 4_000);
    }

    @Test
    void aLineSaysRatesRulesLagDeadLettersCheckpointFillAndDevice() {
        JobFigures before = figures(JobMetric.HEADERS, 1_000, JobMetric.VERDICTS, 900);
        JobFigures now =
                figures(
                        JobMetric.HEADERS, 9_001_000,
                        JobMetric.VERDICTS, 25_500,
                        JobMetric.VERSION, 12,
                        JobMetric.VERSION_SINCE, NOW - 200_000,
                        JobMetric.LAG, 1_234,
                        JobMetric.DEAD_LETTERS, 7,
                        JobMetric.BATCH_FILL, 0.876);
        assertEquals(
                "in 4.50 M/s, out 12.3 K/s | rules 12 for 3 min | lag 1,234 | 7 dead | checkpoint 4 s ago | batches 88 % full | CPU",
                StatusText.line(before, now, 2, NOW));
    }

    @Test
    void ratesAreThoseOfTheTimeBetweenAndNeverNegative() {
        JobFigures before = figures(JobMetric.HEADERS, 5_000, JobMetric.VERDICTS, 5_000);
        JobFigures now = figures(JobMetric.HEADERS, 5_950, JobMetric.VERDICTS, 10);
        String line = StatusText.line(before, now, 1, NOW);
        assertEquals("in 950/s, out 0/s", line.substring(0, line.indexOf(" |")));
    }

    @Test
    void withoutFiguresItSaysThatItWaitsAndWhatIsNotKnown() {
        assertEquals(
                "in 0/s, out 0/s | waits for rules | lag unknown | 0 dead | no checkpoint yet | batches 0 % full | CPU",
                StatusText.line(JobFigures.NONE, JobFigures.NONE, 1, NOW));
        JobFigures noVersion = figures(JobMetric.VERSION, -1, JobMetric.WAITING, 1_500);
        String line = StatusText.line(JobFigures.NONE, noVersion, 1, NOW);
        assertEquals("waits for rules", line.split(" \\| ")[1]);
        assertEquals("1,500 wait for rules", line.split(" \\| ")[7]);
    }

    @Test
    void theDeviceIsTheOneOfTheLastBatches() {
        JobFigures before = figures(JobMetric.DEVICE_BATCHES, 10, JobMetric.CPU_BATCHES, 1_000);
        JobFigures now = figures(JobMetric.DEVICE_BATCHES, 100, JobMetric.CPU_BATCHES, 1_010);
        assertEquals("GPU 90 %", device(before, now));
        assertEquals("GPU 9 %", device(now, now));
        JobFigures lost = figures(JobMetric.DEVICE_BATCHES, 100, JobMetric.DEVICE_RESTS, 1);
        assertEquals("CPU, a GPU failed", device(now, lost));
    }

    private static String device(JobFigures before, JobFigures now) {
        String[] parts = StatusText.line(before, now, 1, NOW).split(" \\| ");
        return parts[parts.length - 1];
    }

    @Test
    void checkpointsThatFailedSinceTheLineBeforeAreCounted() {
        JobFigures failed = new JobFigures(Map.of(), 0, 2, -1);
        assertEquals(
                "no checkpoint yet, 2 failed",
                StatusText.line(JobFigures.NONE, failed, 1, NOW).split(" \\| ")[4]);
        assertEquals(
                "no checkpoint yet", StatusText.line(failed, failed, 1, NOW).split(" \\| ")[4]);
    }

    @Test
    void theLastLineSaysWhatWasDoneAndWhatIsLeft() {
        JobFigures last =
                figures(JobMetric.JUDGED, 1_057, JobMetric.DEAD_LETTERS, 2, JobMetric.LAG, 30);
        assertEquals(
                "stopped after 90 s: 1,057 packets judged, 2 dead letters; what came in the 4 s since the newest checkpoint is not committed; 30 messages of packets are not read; start it again",
                StatusText.interrupted(last, 90_000, NOW, "start it again"));
        assertEquals(
                "stopped after 3 h: 0 packets judged, 0 dead letters; no checkpoint was complete, so nothing of it is committed; how many packets are left is not known; next",
                StatusText.interrupted(JobFigures.NONE, 3 * 3_600_000L, NOW, "next"));
    }

    @Test
    void aJobThatGoesOnElsewhereIsLeftWithWhatItHasDone() {
        JobFigures last = figures(JobMetric.JUDGED, 1_057, JobMetric.DEAD_LETTERS, 2);
        assertEquals(
                "it goes on: 1,057 packets judged, 2 dead letters by now",
                StatusText.left(last, "it goes on"));
    }

    @Test
    void numbersOfTasksBecomeOne() {
        double[] tasks = {3, 1, 2};
        assertEquals(6, JobMetric.By.SUM.of(tasks));
        assertEquals(1, JobMetric.By.MIN.of(tasks));
        assertEquals(3, JobMetric.By.MAX.of(tasks));
        assertEquals(2, JobMetric.By.AVG.of(tasks));
        for (JobMetric.By by : JobMetric.By.values()) {
            assertEquals(Double.NaN, by.of(new double[0]), by.label());
        }
    }
}
