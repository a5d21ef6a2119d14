package dev.sluice.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CorridorBenchITCase {
    @TempDir private Path folder;

    private Path rules() throws IOException {
        return Files.writeString(
                folder.resolve("rules"), "@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xff\n");
    }

    private Path trace() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            lines.append("%d\t%d\t%d\t80\t6%n".formatted(0x0a000000L + i, 77 * i, 1024 + i));
        }
        return Files.writeString(folder.resolve("trace"), lines);
    }

    @Test
    void theJobTellsThatADeviceClassifiedItsPackets() throws Exception {
        FakeDriver.install(new FakeDriver(1));
        try {
            Sluice run =
                    Sluice.run(
                            "bench",
                            "corridor",
                            "--headers",
                            100_000,
                            "--checkpoint-interval",
                            300,
                            "--warm-headers",
                            0,
                            "--rules",
                            rules(),
                            "--trace",
                            trace(),
                            "--gpu",
                            "0",
                            "--hand-over",
                            "from=1",
                            "--json");
            assertEquals(0, run.status(), run.err());
            JsonPage.assertTells("bench corridor", run.out());
            JsonNode found = new ObjectMapper().readTree(run.out());
            double byDevice = found.get("gpuShare").asDouble();
            assertTrue(byDevice > 0, found.toString());
            assertEquals(1, byDevice + found.get("cpuShare").asDouble(), 1e-9);
            assertEquals(byDevice < 1 ? "both" : "gpu", found.get("backend").asText());
        } finally {
            FakeDriver.uninstall();
        }
    }

    /**
     * The usual run measures the job alone, on the processes of a cluster (JobsOfAClusterITCase).
     */
    @Test
    @Tag("long")
    void everyRunJudgesAllThatIsThere() throws Exception {
        Path rules = rules();
        Path trace = trace();
        Sluice run =
                Sluice.run(
                        "bench",
                        "corridor",
                        "--headers",
                        300_000,
                        "--checkpoint-interval",
                        300,
                        "--rules",
                        rules,
                        "--trace",
                        trace,
                        "--warm-headers",
                        10_000,
                        "--latency",
                        1,
                        "--sustain",
                        2,
                        "--rule-changes",
                        1,
                        "--load-rate",
                        20_000,
                        "--gpu",
                        "off",
                        "--json");
        assertEquals(0, run.status(), run.err());
        JsonPage.assertTells("bench corridor", run.out());
        JsonNode found = new ObjectMapper().readTree(run.out());
        assertEquals(300_000, found.get("headers").asLong());
        assertEquals(300_000, sum(found.get("headersBySecond")));
        assertEquals("cpu", found.get("backend").asText());
        assertEquals(1, found.get("cpuShare").asDouble());
        assertTrue(found.get("cpuMicrosPerHeader").asDouble() > 0);
        assertTrue(found.get("bytesOutPerHeader").asDouble() > 0);
        JsonNode delays = found.get("delays");
        assertEquals(3, delays.size());
        assertTrue(delays.get(0).get("p50Millis").asDouble() >= 0, delays.toString());
        assertTrue(delays.get(0).get("operatorP50Micros").asDouble() > 0, delays.toString());
        assertTrue(delays.get(0).get("operatorP99Micros").asDouble() > 0, delays.toString());
        double overdue = delays.get(0).get("overdueShare").asDouble(-1);
        assertTrue(overdue >= 0 && overdue <= 1, delays.toString());
        JsonNode sustained = found.get("sustained");
        assertTrue(sustained.get("judgedMpps").asDouble() > 0, sustained.toString());
        assertTrue(sustained.get("loaderCpuMicrosPerHeader").asDouble() > 0, sustained.toString());
        assertTrue(sum(sustained.get("headersBySecond")) > 0, sustained.toString());
        JsonNode phases = found.get("phases");
        assertEquals(4, phases.size());
        for (int i = 0; i < 4; i++) {
            boolean changing = i != 1;
            JsonNode phase = phases.get(i);
            assertEquals(changing, phase.get("changesPerSecond").asDouble() > 0, phase.toString());
            assertEquals(changing, phase.has("visibleMillis"), phase.toString());
            assertTrue(phase.get("judgedMpps").asDouble() > 0, phase.toString());
        }
        assertTrue(found.get("checkpointBytes").asLong() > 0, found.toString());
    }

    private static long sum(JsonNode numbers) {
        long sum = 0;
        for (JsonNode number : numbers) {
            sum += number.asLong();
        }
        return sum;
    }
}
