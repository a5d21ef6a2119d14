package dev.sluice.lab.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.Refusals;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Generated rule sets are the same for a seed, are read, and are answered alike by all algorithms.
 */
class GeneratedRulesTest {
    /** Some algorithms take seconds to compile four times as many of some shapes. */
    private static final int RULES = 100;

    private static RuleGenerator generator(RuleShape shape, int count) {
        return new RuleGenerator(shape, count, TestSeed.of(7), 0.5);
    }

    @ParameterizedTest
    @EnumSource(RuleShape.class)
    void everyShapeIsReadAndAnsweredAlike(RuleShape shape, @TempDir Path folder) throws Exception {
        List<String> lines = generator(shape, RULES).lines();
        assertEquals(lines, generator(shape, RULES).lines());
        assertTrue(lines.size() > RULES * 3 / 4, lines.size() + " rules");
        RuleStory story =
                answeredAlike("generated-" + shape.name().toLowerCase(Locale.ROOT), lines, folder);
        if (shape == RuleShape.ROUTES || shape == RuleShape.ROUTES6) {
            SameVerdicts.assertServed(story, Form.plain("routes").compiled());
        }
    }

    @Test
    void rulesOfBothFamiliesAreReadAndAnsweredAlike(@TempDir Path folder) throws Exception {
        List<String> lines = new ArrayList<>(generator(RuleShape.IPV6, RULES).lines());
        lines.addAll(generator(RuleShape.ACL, RULES).lines());
        RuleStory story = answeredAlike("generated-both", lines, folder);
        long headers =
                story.headers().stream()
                        .filter(h -> Field.IP_VERSION.extract(h[HeaderWord.IP]) == Field.VERSION_6)
                        .count();
        assertTrue(headers > 1000 && headers < 2000, headers + " headers of IPv6");
    }

    private static RuleStory answeredAlike(String name, List<String> lines, Path folder)
            throws Exception {
        Path file = folder.resolve("rules");
        Files.write(file, lines);
        RuleFile rules = RuleFile.read(file, null);
        RuleSet set = rules.toRuleSet("generated", 1, RuleSet.DROP);
        Path trace = folder.resolve("trace");
        try (Writer out = Files.newBufferedWriter(trace)) {
            new TraceGenerator(set, lines.get(0).startsWith("priority="), 0.5, 0.2, TestSeed.of(3))
                    .write(out, 3000);
        }
        HeaderTrace headers = HeaderTrace.read(trace);
        assertEquals(3000, headers.size());
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < headers.size(); i++) {
            asked.add(headers.header(i));
        }
        RuleStory story = RuleStory.of(name, TestSeed.of(7), set.rules(), List.of(), asked);
        int served = 0;
        for (AlgorithmChoice algorithm : Form.choices()) {
            Form form = Form.plain(algorithm);
            Optional<String> refusal = SameVerdicts.assertSameVerdicts(story, form.compiled());
            Refusals.assertAllowed(form, story, refusal);
            served += refusal.isEmpty() ? 1 : 0;
        }
        int least = 9;
        assertTrue(served >= least, () -> story + " was served by fewer than " + least);
        return story;
    }
}
