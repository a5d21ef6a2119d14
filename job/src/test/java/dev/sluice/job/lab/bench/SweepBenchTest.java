package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.bench.SweepBench.Sizes;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The papers' points have the numbers of rules and masks that the papers name. */
class SweepBenchTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({
        "rules, 1024, 1024, 4, 256",
        "rules, 16384, 16384, 64, 256",
        "masks, 256, 32768, 256, 128",
        "full-masks, 128, 1024, 128, 8",
        "full-masks, 4, 1024, 128, 225",
        "matching-masks, 64, 1024, 128, 8",
        "batch, 64, 1024, 128, 8",
    })
    void papersPointsHaveTheirRulesAndMasks(String sweep, int x, int rules, int masks, int largest)
            throws Exception {
        Path file = folder.resolve("rules");
        Files.write(file, SweepBench.generator(sweep, Sizes.PAPERS, x).lines());
        RuleSet set = RuleFile.read(file, null).toRuleSet("sweep", 1, RuleSet.DROP);
        assertEquals(rules, set.size());
        Map<List<Integer>, Integer> sizes = new HashMap<>();
        for (Rule rule : set.rules()) {
            sizes.merge(mask(rule), 1, Integer::sum);
        }
        assertEquals(masks, sizes.size());
        assertEquals(
                largest,
                Objects.requireNonNull(sizes.values().stream().max(Integer::compare).orElse(0)));
    }

    private static List<Integer> mask(Rule rule) {
        List<Integer> mask = new ArrayList<>();
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            mask.add(rule.match().mask(word));
        }
        return mask;
    }
}
