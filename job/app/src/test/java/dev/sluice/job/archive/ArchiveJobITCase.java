package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives of captures on an embedded Flink cluster, against {@code classify}. */
class ArchiveJobITCase {
    private static final Path RULES = TestData.office("office.ovs");

    @TempDir Path folder;

    private String pattern = "";
    private List<CaptureFile> captures = List.of();

    /** The verdict file of {@code classify}. */
    private List<String> expected = List.of();

    @BeforeEach
    void archive() throws IOException {
        pattern = MadeCaptures.archive(folder) + "/**/*.pcap*";
        captures = CaptureGlob.expand(List.of(pattern));
        assertEquals(3, captures.size());
        Path verdicts = folder.resolve("classify.tsv");
        List<Object> words =
                new ArrayList<>(List.of("classify", "--rules", RULES, "--verdicts", verdicts));
        captures.forEach(capture -> words.add(capture.name()));
        Sluice classify = Sluice.run(words.toArray());
        assertEquals(0, classify.status(), classify.err());
        expected = Files.readAllLines(verdicts);
        assertEquals(1 + MadeCaptures.LONG + 1058 + 1057, expected.size());
    }

    private List<String> sorted(Path verdicts) throws IOException {
        assertEquals(List.of(), VerdictFiles.unfinished(verdicts));
        return VerdictFiles.sorted(verdicts, expected.get(0));
    }

    private ArchiveOptions options(Path verdicts, ArchiveOptions.Form form, Duration interval) {
        RuleSet rules = RuleFile.read(RULES, null).toRuleSet(RULES.toString(), 1, RuleSet.DROP);
        return new ArchiveOptions(
                captures,
                rules,
                ParserOptions.DEFAULTS,
                null,
                null,
                EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF),
                ArchiveFiles.folder(verdicts.toString()),
                form,
                interval);
    }

    @Test
    void runJudgesAnArchiveAsClassifyDoesInParallel() throws IOException {
        Path verdicts = folder.resolve("verdicts");
        Sluice run = run(verdicts, "--parallelism", 3);
        assertEquals(0, run.status(), run.err());
        assertEquals(expected, sorted(verdicts));
        List<String> dead = new ArrayList<>();
        for (Path part : VerdictFiles.parts(verdicts.resolve("dead-letters"))) {
            List<String> lines = Files.readAllLines(part);
            assertEquals("capture\tpacket\ttime_ns\treason", lines.get(0));
            dead.addAll(lines.subList(1, lines.size()));
        }
        assertEquals(
                expected.stream()
                        .filter(line -> line.contains("dead-letter: "))
                        .map(line -> line.replaceFirst("\t\t\t\t\tdead-letter: ", "\t"))
                        .sorted()
                        .toList(),
                dead.stream().sorted().toList());
        assertTrue(run.out().contains("23,254 packets judged by rules"), run.out());
        assertTrue(run.out().contains("21   truncated"), run.out());
        assertTrue(run.err().contains("sluice: verdicts are in " + verdicts), run.err());
        assertEquals(0, SharedEngine.open());
    }

    @Test
    void aCaptureThatIsCutIsJudgedUpToThereAndNamed() throws IOException {
        Path cut = Path.of(captures.get(1).name());
        byte[] whole = Files.readAllBytes(cut);
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        Path verdicts = folder.resolve("verdicts");
        Sluice run = run(verdicts, "--json");
        assertEquals(1, run.status(), run.err());
        assertTrue(run.err().contains(cut + ": gz-truncated"), run.err());
        assertTrue(run.out().startsWith("{\"dead_letters\":{\"truncated\":20}"), run.out());
        List<String> lines = new ArrayList<>();
        for (Path part : VerdictFiles.parts(verdicts.resolve("dead-letters"))) {
            lines.addAll(Files.readAllLines(part));
        }
        assertTrue(
                lines.stream().anyMatch(l -> l.startsWith(cut + "\t\t\tcapture: gz-truncated")),
                lines.toString());
        Sluice again = run(verdicts);
        assertEquals(1, again.status(), again.err());
        assertTrue(again.err().contains("holds files; name a new folder"), again.err());
    }

    @Test
    void avroHoldsTheSameVerdicts() throws IOException {
        Path verdicts = folder.resolve("verdicts");
        Sluice run = run(verdicts, "--format", "avro");
        assertEquals(0, run.status(), run.err());
        List<String> lines = new ArrayList<>();
        for (Path part : VerdictFiles.parts(verdicts)) {
            assertTrue(part.getFileName().toString().endsWith(".avro"), part.toString());
            try (DataFileReader<GenericRecord> records =
                    new DataFileReader<>(part.toFile(), new GenericDatumReader<>())) {
                records.forEach(record -> lines.add(line(record)));
            }
        }
        assertEquals(expected.stream().skip(1).sorted().toList(), lines.stream().sorted().toList());
    }

    @Test
    void parquetHoldsTheSameVerdicts() throws IOException {
        Path verdicts = folder.resolve("verdicts");
        Sluice run = run(verdicts, "--format", "parquet", "--parallelism", 3);
        assertEquals(0, run.status(), run.err());
        assertEquals(expected.stream().skip(1).sorted().toList(), sortedParquet(verdicts));
    }

    private static List<String> sortedParquet(Path verdicts) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path part : VerdictFiles.parts(verdicts)) {
            assertTrue(part.getFileName().toString().endsWith(".parquet"), part.toString());
            ParquetRows.of(part).forEach(record -> lines.add(line(record)));
        }
        return lines.stream().sorted().toList();
    }

    /** A record as a line of {@code classify}. */
    private static String line(GenericRecord record) {
        StringBuilder line = new StringBuilder();
        for (String field :
                List.of("capture", "packet", "timeNs", "rule", "priority", "action", "version")) {
            line.append(record.get(field) == null ? "" : record.get(field)).append('\t');
        }
        Object reason = record.get("deadLetter");
        return line.append(reason == null ? "classified" : "dead-letter: " + reason).toString();
    }

    private Sluice run(Path verdicts, Object... more) {
        List<Object> words =
                new ArrayList<>(
                        List.of(
                                "archive",
                                pattern,
                                "--rules",
                                RULES,
                                "--verdicts",
                                verdicts,
                                "--gpu",
                                "off",
                                "--checkpoint-interval",
                                100));
        words.addAll(Arrays.asList(more));
        return Sluice.run(words.toArray());
    }

    /**
     * A task fails behind a checkpoint, with pieces that are in none; and pieces travel, as they do
     * where a cluster forbids chains.
     */
    @Test
    void aFailureInTheMiddleLosesAndDoublesNoLine() throws Exception {
        Path verdicts = folder.resolve("verdicts");
        Duration interval = Duration.ofMillis(50);
        ArchiveOptions options = options(verdicts, ArchiveOptions.Form.TSV, interval);
        Configuration config = LocalFlink.configuration(folder.resolve("flink"));
        config.set(PipelineOptions.OPERATOR_CHAINING, false);
        FailsOnce.judge(options, config);
        // What the failed attempt had begun behind the checkpoint may stay there, hidden.
        assertEquals(expected, VerdictFiles.sorted(verdicts, expected.get(0)));
        assertFalse(VerdictFiles.parts(verdicts.resolve("dead-letters")).isEmpty());
    }

    @Test
    void aFailureInTheMiddleLosesAndDoublesNoRowOfParquet() throws Exception {
        Path verdicts = folder.resolve("verdicts");
        FailsOnce.judge(
                options(verdicts, ArchiveOptions.Form.PARQUET, Duration.ofMillis(50)),
                LocalFlink.configuration(folder.resolve("flink")));
        assertEquals(expected.stream().skip(1).sorted().toList(), sortedParquet(verdicts));
    }
}
