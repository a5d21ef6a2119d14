package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.JsonPage;
import dev.sluice.job.importers.RuleFile;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowBenchITCase {
    /** One rule twice: it is left alone, since its text does not say which of the two is meant. */
    private static String rule(int i) {
        return "priority=5,tcp,tp_dst=%d,actions=drop".formatted(Math.max(1, i));
    }

    @Test
    void everyChangeThatIsWrittenIsPublishedAndReadBack(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("rules.ovs");
        Files.write(file, IntStream.range(0, 3_000).mapToObj(FollowBenchITCase::rule).toList());
        FollowBench.Result result =
                new FollowBench(RuleFile.read(file, null), EngineOptions.DEFAULTS)
                        .run(10_000, folder, new PrintWriter(Writer.nullWriter()));
        JsonPage.assertTells(
                "bench --follow", new FollowReport(file, 3_000, result).json().toString());
        assertEquals(10_000, result.changes());
        assertTrue(result.transactions() >= 10, result.toString());
        assertTrue(result.readCpuMicros() > 0, result.toString());
    }
}
