package dev.sluice.lab.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.job.Sluice;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestSeed;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules by the statistics of a parameter file have these statistics. */
class SeededRulesTest {
    private static final int COUNT = 4000;

    @TempDir Path folder;
    private Path file = Path.of("");

    @BeforeEach
    void seedFile() throws Exception {
        file = folder.resolve("small_seed");
        try (InputStream in = SeededRulesTest.class.getResourceAsStream("small_seed")) {
            Files.copy(Objects.requireNonNull(in), file);
        }
    }

    private static int length(String prefix) {
        return Integer.parseInt(prefix.substring(prefix.indexOf('/') + 1));
    }

    private static String bits(String prefix) {
        int address = 0;
        for (String part : prefix.substring(0, prefix.indexOf('/')).split("\\.")) {
            address = address << 8 | Integer.parseInt(part);
        }
        return "%32s"
                .formatted(Integer.toBinaryString(address))
                .replace(' ', '0')
                .substring(0, length(prefix));
    }

    @Test
    void sharesLengthsAndPortsAreTheFiles() {
        List<String> lines = RuleGenerator.bySeedFile(file, COUNT, TestSeed.of(5));
        assertEquals(lines, RuleGenerator.bySeedFile(file, COUNT, TestSeed.of(5)));
        assertNotEquals(lines, RuleGenerator.bySeedFile(file, COUNT, TestSeed.of(6)));
        assertEquals(COUNT, lines.size());
        assertEquals(COUNT, new HashSet<>(lines).size());
        Map<String, Integer> protocols = new HashMap<>();
        Map<String, Integer> dstPorts = new HashMap<>();
        int last = 64;
        for (String line : lines) {
            String[] words = line.substring(1).split("\t");
            protocols.merge(words[4], 1, Integer::sum);
            dstPorts.merge(words[3], 1, Integer::sum);
            int total = length(words[0]) + length(words[1]);
            assertTrue(Set.of(0, 32, 48, 56, 64).contains(total), line);
            assertTrue(total <= last, "longer prefixes go first");
            last = total;
        }
        assertEquals(Set.of("0x00/0x00", "0x06/0xFF", "0x11/0xFF"), protocols.keySet());
        // Distinct lines: rules of few forms come a little short.
        assertTrue(protocols.getOrDefault("0x06/0xFF", 0) > 0.58 * COUNT, protocols::toString);
        assertTrue(protocols.getOrDefault("0x06/0xFF", 0) < 0.78 * COUNT, protocols::toString);
        int http = dstPorts.getOrDefault("80 : 80", 0);
        int tls = dstPorts.getOrDefault("443 : 443", 0);
        assertTrue(http > 1.3 * tls && http < 2.1 * tls, () -> http + " and " + tls);
        assertTrue(dstPorts.getOrDefault("1024 : 65535", 0) > 0.03 * COUNT);
        assertTrue(dstPorts.getOrDefault("20 : 21", 0) > 0, dstPorts::toString);
    }

    @Test
    void prefixesNestNoDeeperThanTheFileSays() {
        List<String> lines = RuleGenerator.bySeedFile(file, COUNT, TestSeed.of(5));
        for (int side : new int[] {0, 1}) {
            Set<String> prefixes = new HashSet<>();
            lines.forEach(line -> prefixes.add(bits(line.substring(1).split("\t")[side])));
            int deepest =
                    prefixes.stream()
                            .mapToInt(
                                    p ->
                                            (int)
                                                    IntStream.rangeClosed(0, p.length())
                                                            .filter(
                                                                    n ->
                                                                            prefixes.contains(
                                                                                    p.substring(
                                                                                            0, n)))
                                                            .count())
                            .max()
                            .orElse(0);
            assertTrue(deepest > 1 && deepest <= 5, () -> deepest + " on side " + side);
        }
    }

    @Test
    void theCommandSaysWhereFewerRulesComeThanWereAskedFor() {
        Path alone =
                Path.of(
                        "src/test/resources/dev/sluice/lab/hostile/inputs/parameters/one-rule-alone");
        Path out = folder.resolve("rules");
        Sluice run =
                Sluice.run("rules", "generate", "--seed-file", alone, "--count", 10, "--out", out);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.err().contains("1 of 10 rules"), run.err());
    }

    @Test
    void algorithmsAnswerThemAlike() throws Exception {
        Path out = folder.resolve("rules");
        Files.write(out, RuleGenerator.bySeedFile(file, 500, TestSeed.of(1)));
        RuleFile rules = RuleFile.read(out, null);
        Path trace = folder.resolve("trace");
        try (Writer writer = Files.newBufferedWriter(trace)) {
            new TraceGenerator(rules.toRuleSet("seeded", 1, "drop"), false, 0.3, 0, TestSeed.of(3))
                    .write(writer, 2000);
        }
        HeaderTrace headers = HeaderTrace.read(trace);
        RuleSet set = rules.toRuleSet("seeded", 1, RuleSet.DROP);
        List<int[]> asked = IntStream.range(0, headers.size()).mapToObj(headers::header).toList();
        RuleStory story = RuleStory.of("seeded", TestSeed.of(1), set.rules(), List.of(), asked);
        for (String label : List.of("linear", "merged-tuple", "pairs")) {
            SameVerdicts.assertServed(story, Form.plain(label).compiled());
            // The benchmark names a rule by its place in the file.
            int[] lines = answers(rules, headers, Algorithm.of(label));
            assertArrayEquals(lines(rules, set, story), lines, label);
        }
    }

    private static int[] lines(RuleFile rules, RuleSet set, RuleStory story) {
        Map<Integer, Integer> placeOfLine = new HashMap<>();
        for (int r = 0; r < rules.rules().size(); r++) {
            placeOfLine.put(rules.rules().get(r).line(), r);
        }
        Map<Long, Integer> placeOfId = new HashMap<>();
        set.rules().forEach(rule -> placeOfId.put(rule.id(), placeOfLine.get(rule.line())));
        return Arrays.stream(story.expected()[0])
                .mapToInt(id -> placeOfId.getOrDefault(id, -1))
                .toArray();
    }

    private static int[] answers(RuleFile rules, HeaderTrace headers, Algorithm algorithm) {
        EngineOptions options = EngineOptions.of(algorithm).withGpu(GpuPool.Selection.OFF);
        try (EngineBench bench = new EngineBench(rules, options)) {
            return bench.answers(headers);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "6 0.5 0.1|line 5: a protocol takes its number",
                "x 0.5|line 5: a protocol takes",
            })
    void aBadLineIsNamed(String bad, String message) throws Exception {
        List<String> lines = Files.readAllLines(file);
        lines.set(4, bad);
        Files.write(file, lines);
        refused(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-dpem|0.5 80|no low:high here",
                "-dpem|0.5 90:80|'80' is not in 90 to 65535",
                "-dpem|80:80|no weight here",
                "-wc_wc|70,0.5 32,1|'70' is not in 0 to 64",
                "-wc_wc|48,0.5 8,1|a source length of 8 of 48 in all",
                "-wc_wc|48,0.5|without lengths of the source prefix",
                "-sskew|3 1.5 0.5|'1.5' is not in 0 to 1",
                "-sskew|3|the line is cut",
                "-flags|6 0x10/0x10|is not value/mask,weight",
                "-snest|many|'many' is not a whole number",
            })
    void aBadLineOfASectionIsNamed(String section, String bad, String message) throws Exception {
        List<String> lines = Files.readAllLines(file);
        int at = lines.indexOf(section) + 1;
        lines.set(at, bad);
        Files.write(file, lines);
        refused("line " + (at + 1) + ":");
        refused(message);
    }

    @Test
    void whatIsNoSeedFileIsRefused() throws Exception {
        Files.writeString(file, "@0.0.0.0/0\t0.0.0.0/0\n", StandardCharsets.UTF_8);
        refused("line 1: '@0.0.0.0/0");
        Files.writeString(file, "-scale\n3\n#\n", StandardCharsets.UTF_8);
        refused("has no -prots section");
        Files.delete(file);
        refused("small_seed");
    }

    private void refused(String message) {
        SluiceException e =
                assertThrows(SluiceException.class, () -> RuleGenerator.bySeedFile(file, 10, 1));
        assertTrue(String.valueOf(e.getMessage()).contains(message), e.getMessage());
    }
}
