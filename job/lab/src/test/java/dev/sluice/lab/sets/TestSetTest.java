package dev.sluice.lab.sets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What checks and measurements on a GPU are run on. */
class TestSetTest {
    @TempDir Path folder;

    private void gzip(String name, String... lines) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(folder.resolve(name)));
                Writer writer = new OutputStreamWriter(out, StandardCharsets.US_ASCII)) {
            writer.write(String.join("\n", lines) + "\n");
        }
    }

    @Test
    void generatedSetsCarryTheOraclesAnswers() {
        TestSet set = TestSet.generate(RuleShape.FW, 60, 400, TestSeed.of(3));
        List<int[]> headers = IntStream.range(0, 400).mapToObj(set.trace()::header).toList();
        RuleStory story =
                RuleStory.of(set.name(), TestSeed.of(3), set.rules().rules(), List.of(), headers);
        SameVerdicts.assertPositions(story, "answers-of-a-generated-set", set.expected());
        long hits = Arrays.stream(set.expected()).filter(position -> position >= 0).count();
        assertTrue(hits > 200, hits + " hits");
    }

    @Test
    void aFolderPairsTracesWithTheRulesThatTheirNamesBeginWith() throws IOException {
        String first = "@0.0.0.1/32 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF";
        String second = "@0.0.0.2/32 0.0.0.0/0 0 : 65535 0 : 65535 0x06/0xFF";
        gzip("a.rules.gz", first, second);
        gzip("a_b.rules.gz", second);
        gzip("a_mix.trace.gz", "1\t9\t3\t4\t6\t0\t0", "2\t9\t3\t4\t6\t0\t0", "3\t9\t3\t4\t6\t0\t0");
        gzip("a_mix.exp.gz", "0", "1", "-1");
        gzip("a_b.trace.gz", "2\t9\t3\t4\t6\t0\t0");
        List<String> names = new ArrayList<>();
        for (Supplier<TestSet> each : TestFolder.sets(folder)) {
            TestSet set = each.get();
            names.add(set.name() + " " + set.rules().size());
            if (set.name().equals("a_mix")) {
                assertArrayEquals(new int[] {0, 1, -1}, set.expected());
            } else {
                assertArrayEquals(new int[] {0}, set.expected()); // linear search gave it
            }
        }
        assertEquals(List.of("a_b 1", "a_mix 2"), names);
        gzip("a_mix.exp.gz", "0", "7", "-1");
        String message =
                assertThrows(
                                SluiceException.class,
                                () -> TestFolder.sets(folder).forEach(s -> s.get().expected()))
                        .getMessage();
        assertTrue(String.valueOf(message).contains("a_mix.exp.gz:2"), message);
        gzip("a_mix.exp.gz", "0");
        message =
                assertThrows(
                                SluiceException.class,
                                () -> TestFolder.sets(folder).forEach(s -> s.get().expected()))
                        .getMessage();
        assertTrue(String.valueOf(message).contains("has 1 answers"), message);
    }
}
