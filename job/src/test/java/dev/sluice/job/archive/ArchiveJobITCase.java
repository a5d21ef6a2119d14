package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestData;
import dev.sluice.job.capture.HeaderDepth;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.jspecify.annotations.Nullable;
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

    private static List<Path> parts(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** The lines of all files, one line of titles, in the order of {@code classify}. */
    private List<String> sorted(Path verdicts) throws IOException {
        List<String> titles = List.of(expected.get(0));
        List<String> lines = new ArrayList<>();
        for (Path part : parts(verdicts)) {
            assertTrue(part.getFileName().toString().matches("verdicts-.*\\.tsv"), part.toString());
            List<String> all = Files.readAllLines(part);
            assertEquals(titles, all.subList(0, 1));
            lines.addAll(all.subList(1, all.size()));
        }
        List<String> order = captures.stream().map(CaptureFile::name).toList();
        lines.sort(
                Comparator.<String>comparingInt(line -> order.indexOf(line.split("\t")[0]))
                        .thenComparingLong(line -> Long.parseLong(line.split("\t")[1])));
        lines.addAll(0, titles);
        return lines;
    }

    private ArchiveOptions options(Path verdicts, Duration interval) {
        RuleSet rules = RuleFile.read(RULES, null).toRuleSet(RULES.toString(), 1, RuleSet.DROP);
        return new ArchiveOptions(
                captures,
                rules,
                HeaderDepth.OUTER,
                null,
                EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF),
                ArchiveFiles.folder(verdicts.toString()),
                ArchiveOptions.Form.TSV,
                interval);
    }

    @Test
    void runJudgesAnArchiveAsClassifyDoesInParallel() throws IOException {
        Path verdicts = folder.resolve("verdicts");
        Sluice run = run(verdicts, "--parallelism", 3);
        assertEquals(0, run.status(), run.err());
        assertEquals(expected, sorted(verdicts));
        List<String> dead = new ArrayList<>();
        for (Path part : parts(verdicts.resolve("dead-letters"))) {
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
        for (Path part : parts(verdicts.resolve("dead-letters"))) {
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
        for (Path part : parts(verdicts)) {
            assertTrue(part.getFileName().toString().endsWith(".avro"), part.toString());
            try (DataFileReader<GenericRecord> records =
                    new DataFileReader<>(part.toFile(), new GenericDatumReader<>())) {
                records.forEach(record -> lines.add(line(record)));
            }
        }
        assertEquals(expected.stream().skip(1).sorted().toList(), lines.stream().sorted().toList());
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
                                "run",
                                "--captures",
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
        ArchiveOptions options = options(verdicts, interval);
        Configuration config = LocalFlink.configuration(folder.resolve("flink"));
        config.set(PipelineOptions.OPERATOR_CHAINING, false);
        FailsOnce.begin();
        CaptureFormat format = new FailsOnce(options);
        try (LocalFlink job =
                LocalFlink.start(env -> ArchiveJob.build(env, options, format), 2, config)) {
            long before = -1;
            while (!job.endsWithin(Duration.ofMillis(10))) {
                if (before < 0 && FailsOnce.pieces.get() > FailsOnce.CHECKED) {
                    before = job.figures().checkpoints();
                }
                // The second from then on has begun behind the pieces.
                if (before >= 0 && job.figures().checkpoints() >= before + 2) {
                    FailsOnce.checkpointed.countDown();
                }
            }
            Outcomes outcomes = job.join().orElseThrow();
            assertTrue(FailsOnce.failed.get());
            assertTrue(FailsOnce.restored.get() > 0, "no capture was gone on with in its middle");
            assertEquals(Map.of(VerdictStatus.OK, 23_254L), outcomes.verdicts());
            assertEquals(Map.of("truncated", 21L), outcomes.deadLetters());
            assertEquals(Map.of(ArchiveCount.CLEAN, 3L), job.counts(ArchiveCount.CAPTURES));
            assertEquals(List.of(), ArchiveJob.defects(job));
        }
        assertEquals(expected, sorted(verdicts));
        assertFalse(parts(verdicts.resolve("dead-letters")).isEmpty());
    }

    /** Lets a checkpoint come behind some pieces of the long capture, and fails some later. */
    private static final class FailsOnce extends CaptureFormat {
        static final int CHECKED = 2;
        static final AtomicInteger pieces = new AtomicInteger();
        static final AtomicInteger restored = new AtomicInteger();
        static final AtomicBoolean failed = new AtomicBoolean();
        static volatile CountDownLatch checkpointed = new CountDownLatch(1);

        private static final long serialVersionUID = 1L;

        FailsOnce(ArchiveOptions options) {
            super(options.captures(), options.rules().layout(), options.depth(), null);
        }

        static void begin() {
            pieces.set(0);
            restored.set(0);
            failed.set(false);
            checkpointed = new CountDownLatch(1);
        }

        @Override
        public BulkFormat.Reader<CapturePiece> createReader(
                Configuration config, FileSourceSplit split) throws IOException {
            return failing(super.createReader(config, split), split);
        }

        @Override
        public BulkFormat.Reader<CapturePiece> restoreReader(
                Configuration config, FileSourceSplit split) throws IOException {
            if (split.getReaderPosition().filter(at -> at.getOffset() > 0).isPresent()) {
                restored.incrementAndGet();
            }
            return failing(super.restoreReader(config, split), split);
        }

        private static BulkFormat.Reader<CapturePiece> failing(
                BulkFormat.Reader<CapturePiece> reader, FileSourceSplit split) {
            if (!split.path().getName().equals("a-long.pcap")) {
                return reader;
            }
            return new BulkFormat.Reader<>() {
                @Override
                public BulkFormat.@Nullable RecordIterator<CapturePiece> readBatch()
                        throws IOException {
                    int piece = pieces.incrementAndGet();
                    if (!failed.get() && piece == CHECKED + 1) {
                        awaitCheckpoint();
                    }
                    if (piece > CHECKED + 2 && failed.compareAndSet(false, true)) {
                        throw new IOException("made to fail");
                    }
                    return reader.readBatch();
                }

                @Override
                public void close() throws IOException {
                    reader.close();
                }
            };
        }

        private static void awaitCheckpoint() throws IOException {
            try {
                checkpointed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }
}
