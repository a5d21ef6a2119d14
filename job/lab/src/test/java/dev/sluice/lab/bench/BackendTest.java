package dev.sluice.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench engine} with a device: JSON says who classified. */
@Timeout(60)
class BackendTest {
    @TempDir private Path folder;

    private final FakeDriver fake = new FakeDriver(1);
    private Path rules = Path.of("");
    private Path trace = Path.of("");

    @BeforeEach
    void aRuleAndAThousandHeaders() throws IOException {
        rules = folder.resolve("rules");
        Files.writeString(rules, "@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xff\n");
        trace = folder.resolve("trace");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            lines.append("%d\t%d\t%d\t80\t6%n".formatted(0x0a000000L + i, 77 * i, 1024 + i));
        }
        Files.writeString(trace, lines);
    }

    @AfterEach
    void theProcessHasItsOwnDriverAgain() {
        FakeDriver.uninstall();
        fake.awaitNothingHeld();
    }

    private Sluice bench(GpuDriver driver, String... options) {
        FakeDriver.install(driver);
        List<Object> words = new ArrayList<>(List.of("bench", "engine", "--rounds", "5", "--json"));
        words.addAll(List.of("--batch", "600", "--rules", rules, "--trace", trace));
        words.addAll(List.of(options));
        return Sluice.run(words.toArray());
    }

    private static JsonNode found(Sluice run) throws IOException {
        assertEquals(0, run.status(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    private static void assertFails(Sluice run, int status, String... parts) {
        assertEquals(status, run.status(), run.out() + run.err());
        assertEquals("", run.out());
        assertEquals(status, run.err().lines().count(), run.err());
        for (String part : parts) {
            assertTrue(run.err().contains(part), run.err());
        }
    }

    @Test
    void aNamedDeviceThatIsNotThereFailsAndIsNamed() {
        assertFails(bench(new FakeDriver(0), "--gpu", "0"), 1, "device 0 is not there");
    }

    @Test
    void aDeviceThatDoesNotOpenFailsAndSaysWhy() {
        FaultInjector faulty = new FaultInjector(fake);
        faulty.fail(FaultInjector.Point.OPEN, 1, 999);
        assertFails(bench(faulty, "--gpu", "0"), 1, "injected fault 999 at OPEN");
    }

    @Test
    void cpuLeavesADeviceAlone() throws IOException {
        JsonNode found = found(bench(fake, "--gpu", "off"));
        assertEquals("cpu", found.get("backend").asText());
        assertEquals(1, found.get("cpuShare").asDouble());
        assertEquals(0, found.get("gpuShare").asDouble());
        assertEquals(0, fake.started());
    }

    @Test
    void sharesAreThoseOfTheHeadersThatEachLookedUp() throws IOException {
        // Batches of 600 go to the device, the trace's last 400 headers are too few for it.
        Sluice run = bench(fake, "--gpu", "0", "--hand-over", "from=500");
        JsonPage.assertTells("bench engine", run.out());
        JsonNode found = found(run);
        assertEquals("both", found.get("backend").asText());
        assertEquals(0.6, found.get("gpuShare").asDouble(), 1e-9);
        assertEquals(0.4, found.get("cpuShare").asDouble(), 1e-9);
    }

    @Test
    void aDeviceOnWhichEveryBatchFailsHasClassifiedNothing() throws IOException {
        FaultInjector faulty = new FaultInjector(fake);
        faulty.fail(FaultInjector.Point.LAUNCH, Integer.MAX_VALUE, 719);
        JsonNode found = found(bench(faulty));
        assertEquals("cpu", found.get("backend").asText());
        assertEquals(0, found.get("gpuShare").asDouble());
        assertTrue(faulty.failed(FaultInjector.Point.LAUNCH) > 0, "no batch went to the device");
    }
}
