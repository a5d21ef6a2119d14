package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
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

    /** What would only take long: the tests are run often. */
    private static boolean fits(AlgorithmChoice algorithm, String name, int rules) {
        boolean openFlow = name.startsWith("openflow") || name.startsWith("ng_");
        return switch (algorithm.label()) {
            case "routes" -> false; // no set holds routes
            case "rfc", "bitmap-rfc" -> rules < 2_000 && !openFlow;
            case "linear", "bitvector" -> rules <= LINEAR_UP_TO;
            case "forest" -> rules <= LINEAR_UP_TO || !openFlow;
            case "tuple", "bloom", "hash-tree" -> rules <= LINEAR_UP_TO;
            default -> true;
        };
    }

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
            for (String label : AlgorithmChoice.labels()) {
                AlgorithmChoice algorithm = AlgorithmChoice.parse(label);
                if (!fits(algorithm, name, rules.rules().size())) {
                    continue;
                }
                EngineBench bench;
                try {
                    bench =
                            new EngineBench(
                                    rules,
                                    EngineOptions.DEFAULTS
                                            .withAlgorithm(algorithm)
                                            .withGpu(GpuPool.Selection.OFF));
                } catch (UnsupportedRulesException e) {
                    boolean mayRefuse =
                            algorithm
                                    .algorithm()
                                    .map(named -> named.capabilities().mayRefuse())
                                    .orElse(false);
                    assertTrue(mayRefuse, name + ": " + e.getMessage());
                    continue;
                }
                int traces = 0;
                for (String suffix : List.of("", "_mix", "_loc")) {
                    Path trace = folder.resolve(name + suffix + ".trace.gz");
                    if (!Files.exists(trace)
                            || algorithm.label().equals("linear") && suffix.equals("_loc")) {
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
