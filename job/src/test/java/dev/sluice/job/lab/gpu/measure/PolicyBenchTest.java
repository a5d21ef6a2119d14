package dev.sluice.job.lab.gpu.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.JsonPage;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.grid.Cell;
import dev.sluice.job.lab.grid.CellOptions;
import dev.sluice.job.lab.grid.GridFile;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command {@code gpu grid}, on a device on the heap that is told its times. */
class PolicyBenchTest {
    private static final Algorithm FOREST = Algorithm.of("forest");

    @TempDir Path folder;

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    @Test
    void eachAlgorithmIsTimedAndWhatAutoChoseIsNamed() throws Exception {
        FakeDriver driver = new FakeDriver(1);
        driver.takes(kernel -> KernelCatalog.names(FOREST).contains(kernel) ? 1 : 8);
        FakeDriver.install(driver);
        CellOptions options = new CellOptions();
        new CommandLine(options)
                .parseArgs("--shapes=zones", "--rules=300", "--kinds=30", "--depths=2");
        Cell cell = options.cells().get(0);
        GeneratedSet set = GeneratedSet.generate(cell.generator(1), 1000, 1, 1);
        List<Algorithm> asked = List.of(Algorithm.of("pairs"), FOREST, Algorithm.of("routes"));
        PolicyBench.Result result;
        try (GpuDevice on = new GpuDevice(driver, 0, 1, 1024, 19)) {
            result = new PolicyBench(on, EngineOptions.DEFAULTS, asked, 4096, 1).measure(set);
        }
        while (driver.held() > 0) { // the engine's rules may still be prepared for removals
            Thread.onSpinWait();
        }
        assertEquals(0, result.wrong());
        assertEquals(1000, result.answered());
        assertEquals(FOREST, result.auto().onDevice());
        assertEquals(FOREST, result.best());
        assertEquals(Set.of(FOREST, Algorithm.of("pairs")), result.rates().keySet());
        assertEquals(4.096, result.rate(FOREST).mpps(), 1e-3);
        assertEquals(1, result.refusals().size());
        assertTrue(result.refusals().get(0).startsWith("routes: "), result.refusals().get(0));

        Path file = folder.resolve("grid-device.json");
        new GridFile(file).put(GpuGridCommand.record(cell, 300, result));
        JsonPage.assertTells("gpu grid", GpuGridCommand.record(cell, 300, result).toString());
        JsonNode record = new ObjectMapper().readTree(file.toFile()).get(0);
        assertEquals("zones_300_30_2", record.path("cell").asText());
        assertEquals("forest", record.path("algorithm").asText());
        assertEquals("rfc", record.path("onCpu").asText());
        assertEquals(4, record.path("rates").path("forest").asInt());
        assertEquals(0, record.path("wrong").asInt(-1));
    }

    @Test
    void numbersThatCannotBeAreRefused() {
        for (String option :
                List.of("--launch=100", "--runs=0", "--builders=0", "--shapes=stars")) {
            GpuGridCommand command = new GpuGridCommand();
            new CommandLine(command).parseArgs(option);
            assertThrows(UsageException.class, command::call, option);
        }
    }
}
