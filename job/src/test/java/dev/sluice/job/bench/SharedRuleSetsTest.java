package dev.sluice.job.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Algorithm;
import dev.sluice.job.SharedData;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every algorithm meets every expected answer of the shared rule sets. */
class SharedRuleSetsTest {
    private static final long LINEAR_UP_TO = 12_000;

    @Test
    void everyAlgorithmMeetsEveryExpectedAnswer() throws IOException {
        Path folder = SharedData.folder("rules");
        List<Path> sets;
        try (Stream<Path> files = Files.list(folder)) {
            sets = files.filter(f -> f.toString().endsWith(".rules.gz")).sorted().toList();
        }
        assertTrue(sets.size() >= 15, sets.size() + " sets");
        for (Path set : sets) {
            String name = set.getFileName().toString().replace(".rules.gz", "");
            RuleFile rules = RuleFile.read(set, null);
            for (Algorithm algorithm : Algorithm.values()) {
                boolean large = rules.rules().size() > LINEAR_UP_TO;
                // AUTO is one of the others; a forest over MAC addresses is not built for large
                // sets.
                if (algorithm == Algorithm.AUTO
                        || large && algorithm == Algorithm.LINEAR
                        || large && algorithm == Algorithm.FOREST && name.startsWith("openflow")) {
                    continue;
                }
                EngineBench bench = new EngineBench(rules, algorithm, 1L << 30);
                int traces = 0;
                for (String suffix : List.of("", "_mix", "_loc")) {
                    Path trace = folder.resolve(name + suffix + ".trace.gz");
                    if (!Files.exists(trace)
                            || algorithm == Algorithm.LINEAR && suffix.equals("_loc")) {
                        continue;
                    }
                    traces++;
                    HeaderTrace headers = HeaderTrace.read(trace);
                    long wrong =
                            bench.countWrong(headers, folder.resolve(name + suffix + ".exp.gz"));
                    assertEquals(0, wrong, name + suffix + " by " + algorithm.label());
                }
                assertTrue(traces > 0, "no trace for " + name);
            }
        }
    }
}
