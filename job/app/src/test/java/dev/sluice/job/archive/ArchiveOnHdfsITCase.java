package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Captures in HDFS and verdicts to HDFS, with Hadoop's classes, against {@code classify}. */
@Tag("long")
@Timeout(180)
class ArchiveOnHdfsITCase {
    private static final Path RULES = TestData.office("office.ovs");
    private static final Path JARS = Path.of("target/hdfs").toAbsolutePath();

    @TempDir private Path folder;

    /** Hadoop's file system in a process of its own. */
    private final class Hdfs implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private final Writer in;
        final String uri;

        Hdfs() throws IOException {
            process =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-Xmx512m",
                                    "-cp",
                                    jars(),
                                    Path.of("src/test/resources/hdfs/HdfsNode.java").toString(),
                                    folder.resolve("hdfs").toString())
                            .redirectError(folder.resolve("hdfs.log").toFile())
                            .start();
            out = process.inputReader(StandardCharsets.UTF_8);
            in = process.outputWriter(StandardCharsets.UTF_8);
            uri = line();
        }

        private String line() throws IOException {
            String line = out.readLine();
            return line != null
                    ? line
                    : "it has ended: " + Files.readString(folder.resolve("hdfs.log"));
        }

        void copy(String from, String to) throws IOException {
            in.write(from + "\t" + to + "\n");
            in.flush();
            assertEquals("copied", line());
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private static String jars() throws IOException {
        try (Stream<Path> jars = Files.list(JARS)) {
            return jars.map(Path::toString)
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private Sluice run(Object... words) throws IOException, InterruptedException {
        // As the launcher has it where HADOOP_CLASSPATH names the jars.
        ProcessBuilder process = Sluice.processWith(File.pathSeparator + jars(), words);
        return Sluice.end(process, folder.resolve("err.txt"));
    }

    @Test
    void runReadsCapturesFromHdfsAndWritesVerdictsThere() throws Exception {
        assumeTrue(
                Files.isDirectory(JARS),
                "Hadoop's classes are there with the long tests alone (./sluice test --long)");
        Path archive = MadeCaptures.archive(folder);
        try (Hdfs hdfs = new Hdfs()) {
            assertTrue(hdfs.uri.startsWith("hdfs://"), hdfs.uri);
            hdfs.copy(archive.toUri().toString(), hdfs.uri + "/archive");
            Object[] words = {
                "archive",
                hdfs.uri + "/archive/**/*.pcap*",
                "--rules",
                RULES,
                "--verdicts",
                hdfs.uri + "/verdicts/day",
                "--gpu",
                "off",
                "--checkpoint-interval",
                300
            };
            Sluice run = run(words);
            assertEquals(0, run.status(), run.err());
            Path got = folder.resolve("got");
            hdfs.copy(hdfs.uri + "/verdicts/day", got.toUri().toString());
            List<String> expected = MadeCaptures.verdicts(archive, RULES, hdfs.uri + "/archive");
            assertEquals(expected, VerdictFiles.sorted(withoutSums(got), expected.get(0)));
            assertFalse(VerdictFiles.parts(got.resolve("dead-letters")).isEmpty());
            Sluice again = run(words);
            assertEquals(1, again.status(), again.err());
            assertTrue(again.err().contains("holds files; name a new folder"), again.err());
        }
    }

    /** Hadoop puts a hidden file with a check sum beside each that it copies here. */
    private static Path withoutSums(Path got) throws IOException {
        assertTrue(
                VerdictFiles.unfinished(got).stream().allMatch(f -> f.toString().endsWith(".crc")));
        return got;
    }
}
