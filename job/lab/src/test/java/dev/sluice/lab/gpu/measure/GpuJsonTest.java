package dev.sluice.lab.gpu.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the {@code gpu} commands print as JSON, on a device on the heap. */
@Timeout(180)
class GpuJsonTest {
    @TempDir private Path folder;
    private final FakeDriver fake = new FakeDriver(1);

    @BeforeEach
    void aDeviceOnTheHeap() {
        FakeDriver.install(fake);
    }

    @AfterEach
    void theProcessHasItsOwnDriverAgain() {
        FakeDriver.uninstall();
        fake.awaitNothingHeld();
    }

    private static void assertTold(String command, Sluice run) throws IOException {
        assertEquals(0, run.status(), run.err());
        JsonPage.assertTells(command, run.out());
    }

    @Test
    void thePageTellsOfDevices() throws IOException {
        assertTold("gpu info", Sluice.run("gpu", "info", "--json"));
    }

    /** Without the ways whose launches begin amid the headers: the heap has no such addresses. */
    @Test
    void waysOfASetAreMeasuredTwiceWrittenOnceAndToldOnThePage() throws IOException {
        Path out = folder.resolve("gpu.json");
        Object[] words = {
            "gpu",
            "bench",
            "--shape",
            "acl",
            "--count",
            100,
            "--algorithm",
            "merged-tuple",
            "--way",
            "device",
            "--headers",
            "128,64",
            "--runs",
            1,
            "--out",
            out,
            "--json"
        };
        Sluice first = Sluice.run(words);
        assertEquals(0, first.status(), first.err());
        assertTold("gpu bench", Sluice.run(words));
        JsonNode points = new ObjectMapper().readTree(out.toFile());
        List<String> ways = new ArrayList<>();
        for (JsonNode point : points) {
            ways.add(point.path("way").asText() + " " + point.path("headersALaunch").asInt());
            assertTrue(point.path("mpps").asDouble() > 0, point.toString());
            assertEquals(0, point.path("wrong").asInt());
        }
        assertEquals(List.of("device 128", "device 64"), ways);
    }

    @Test
    void autoIsTheEnginesChoiceForTheDeviceAndSaysWhy() throws IOException {
        Algorithm forest = Algorithm.of("forest");
        fake.takes(kernel -> KernelCatalog.names(forest).contains(kernel) ? 1 : 8);
        Sluice run =
                Sluice.run(
                        "gpu",
                        "bench",
                        "--shape",
                        "fw",
                        "--count",
                        300,
                        "--way",
                        "device",
                        "--headers",
                        4096,
                        "--runs",
                        1,
                        "--json");
        assertEquals(0, run.status(), run.err());
        JsonNode point = new ObjectMapper().readTree(run.out());
        assertEquals("forest", point.path("algorithm").asText());
        assertEquals(4.096, point.path("mpps").asDouble(), 1e-3);
        assertFalse(point.path("explanation").asText().isEmpty());
    }
}
