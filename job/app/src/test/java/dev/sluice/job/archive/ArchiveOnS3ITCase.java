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
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Captures in S3 and verdicts to S3, by Flink's plugin, against {@code classify}. */
@Tag("long")
@Timeout(180)
class ArchiveOnS3ITCase {
    private static final Path RULES = TestData.office("office.ovs");
    private static final String PATTERN = "s3://archive/**/*.pcap*";

    @TempDir private Path folder;

    private S3Server server;

    /** The verdict file of {@code classify}, with the names that the captures have in S3. */
    private List<String> expected = List.of();

    @BeforeEach
    void archive() throws Exception {
        server = S3Server.start(folder);
        Configuration config = Configuration.fromMap(server.settings());
        FileSystem.initialize(
                config,
                new DefaultPluginManager(
                        new DirectoryBasedPluginFinder(server.plugins()).findPlugins(),
                        CoreOptions.getPluginParentFirstLoaderPatterns(config)));
        Path bucket = MadeCaptures.archive(folder);
        server.makeBucket("archive");
        server.makeBucket("verdicts");
        upload(bucket);
        expected = MadeCaptures.verdicts(bucket, RULES, "s3://archive");
    }

    /** Files of a folder become objects of the bucket of its name. */
    private static void upload(Path bucket) throws IOException {
        try (Stream<Path> files = Files.walk(bucket)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                org.apache.flink.core.fs.Path object =
                        new org.apache.flink.core.fs.Path(
                                "s3://archive/" + bucket.relativize(file).toString());
                try (OutputStream out =
                        object.getFileSystem().create(object, FileSystem.WriteMode.NO_OVERWRITE)) {
                    Files.copy(file, out);
                }
            }
        }
    }

    @AfterEach
    void end() {
        FileSystem.initialize(new Configuration(), null);
        if (server != null) {
            server.close();
        }
    }

    /** In a process of its own, since the environment says where plugins and settings are. */
    private Sluice run(Object... words) throws IOException, InterruptedException {
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.write(
                conf.resolve("config.yaml"),
                server.settings().entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .toList());
        ProcessBuilder process = Sluice.process(words);
        process.environment().put("FLINK_PLUGINS_DIR", server.plugins().toString());
        process.environment().put("FLINK_CONF_DIR", conf.toString());
        return Sluice.end(process, folder.resolve("err.txt"));
    }

    private List<String> verdicts(String name) throws IOException {
        return VerdictFiles.sorted(download(name), expected.get(0));
    }

    /** Objects of the bucket of verdicts that lie below a name, as files of a folder. */
    private Path download(String name) throws IOException {
        Path into = Files.createDirectories(folder.resolve("got/" + name));
        for (FileStatus object :
                ArchiveFiles.list(new org.apache.flink.core.fs.Path("s3://verdicts/" + name))) {
            if (!object.isDir()) {
                org.apache.flink.core.fs.Path path = object.getPath();
                try (InputStream in = path.getFileSystem().open(path)) {
                    Files.copy(in, into.resolve(path.getName()));
                }
            }
        }
        return into;
    }

    @Test
    void runReadsCapturesFromS3AndWritesVerdictsThere() throws Exception {
        Object[] words = {
            "archive",
            PATTERN,
            "--rules",
            RULES,
            "--verdicts",
            "s3://verdicts/day",
            "--gpu",
            "off",
            "--checkpoint-interval",
            300
        };
        Sluice run = run(words);
        assertEquals(0, run.status(), run.err());
        assertEquals(expected, verdicts("day"));
        assertFalse(VerdictFiles.parts(download("day/dead-letters")).isEmpty());
        Sluice again = run(words);
        assertEquals(1, again.status(), again.err());
        assertTrue(again.err().contains("holds files; name a new folder"), again.err());
    }

    @Test
    void aFailureInTheMiddleLosesAndDoublesNoLine() throws Exception {
        RuleSet rules = RuleFile.read(RULES, null).toRuleSet(RULES.toString(), 1, RuleSet.DROP);
        ArchiveOptions options =
                new ArchiveOptions(
                        CaptureGlob.expand(List.of(PATTERN)),
                        rules,
                        ParserOptions.DEFAULTS,
                        null,
                        null,
                        EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF),
                        ArchiveFiles.folder("s3://verdicts/failing"),
                        ArchiveOptions.Form.TSV,
                        Duration.ofMillis(100));
        FailsOnce.judge(options, LocalFlink.configuration(folder.resolve("flink")));
        assertEquals(expected, verdicts("failing"));
    }
}
