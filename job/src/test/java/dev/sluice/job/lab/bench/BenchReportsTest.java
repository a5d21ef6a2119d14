package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.JsonPage;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.backend.Classified;
import dev.sluice.job.lab.corridor.Millis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON of measurements that take long, of figures made up. */
class BenchReportsTest {
    private static final Path RULES = Path.of("acl.rules");
    private static final Millis NONE = new Millis(Double.NaN, Double.NaN, Double.NaN);

    @TempDir private Path folder;

    @Test
    void updatesBesideLookUpsAreToldAsThePageHasThem() throws IOException {
        Path file = folder.resolve("rules");
        Files.writeString(file, "@10.0.0.0/8 0.0.0.0/0 0 : 65535 80 : 80 0x06/0xff\n");
        EngineOptions options = EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF);
        try (EngineBench bench = new EngineBench(RuleFile.read(file, null), options)) {
            EngineReport report =
                    new EngineReport(
                            RULES,
                            1,
                            bench,
                            2,
                            4096,
                            1000,
                            5,
                            options.flowCacheEntries(),
                            new EngineBench.Result(
                                    Algorithm.of("tuple"), 3, 2, 4, 0.5, 640, new Classified(9, 0)),
                            new UpdateBench.Result(UpdateBench.Way.IN_PLACE, 5e6, 4096),
                            new UpdatesBeside.Result(0.05, 30, 20, 1e6, 0.33, 0.1, 0.2, 0),
                            null);
            ObjectNode found = report.json();
            JsonPage.assertTells("bench", found.toString());
            assertEquals("in-place", found.get("updates").asText());
            assertEquals(20, found.at("/updatesBesideLookUps/mpps").asDouble());
        }
    }

    @Test
    void rulesThatChangeUnderLoadAreToldAsThePageHasThem() throws IOException {
        Millis some = new Millis(1, 2, 3);
        RuleChangeReport report =
                new RuleChangeReport(
                        new BenchedJob(RULES, 1000, 2, 4096),
                        new RuleChangeBench.Result(
                                1.5,
                                9e6,
                                List.of(
                                        new RuleChangeBench.Phase(
                                                "none", 8e6, 0, 0, NONE, NONE, some),
                                        new RuleChangeBench.Phase(
                                                "one rule", 7e6, 9, 9.5, some, some, some)),
                                12_000,
                                30));
        ObjectNode found = report.json();
        JsonPage.assertTells("bench --corridor --rule-changes", found.toString());
        assertEquals(9, found.get("highestMpps").asDouble());
    }
}
