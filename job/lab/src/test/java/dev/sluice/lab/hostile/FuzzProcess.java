package dev.sluice.lab.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Jazzer at work on a reader, in a process of its own: it changes the code that it runs, and ends
 * its process. Seeds are the good inputs of the tests, and all inputs that once made the reader
 * fail.
 */
final class FuzzProcess {
    /** Seconds that a reader may take for an input; it takes some ms, and its first some s. */
    private static final int MOST_SECONDS = 60;

    /** Classes whose code Jazzer follows; of libraries it would change thousands at each start. */
    private static final String OURS = "dev.sluice.**";

    /**
     * The heap is the limit. Jazzer's own is on the peak of resident memory, which Linux hands down
     * through fork and exec: a test process that once had more would fail every reader.
     */
    private static final String NO_RESIDENT_LIMIT = "-rss_limit_mb=0";

    private static final int LINES_SHOWN = 40;

    /** Jars that readers need, and Jazzer. */
    private static final Pattern NEEDED =
            Pattern.compile(
                    "/(sluice|avro|jackson|commons|zstd|ipaddress|picocli|slf4j|junit|opentest4j|jazzer)[^/]*[.]jar$");

    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in \\d+ second");
    private static final Pattern COVERED = Pattern.compile("(?m)^#\\d+\\s+INITED cov: (\\d+)");

    private final HostileTarget target;
    private final Path folder;
    private final Path log;

    /**
     * A process that is to be.
     *
     * @param folder for seeds, log and findings
     */
    FuzzProcess(HostileTarget target, Path folder) {
        this.target = target;
        this.folder = folder;
        log = folder.resolve("log");
    }

    /**
     * Looks for inputs that make the reader fail.
     *
     * @param corpus where inputs are kept that reached new code, to go on from
     * @param seed of what is drawn; 0: another each time
     * @return inputs that were tried, the seeds among them
     * @throws AssertionError if the reader failed, naming the input, which then lies among those
     *     that are kept
     */
    long run(int seconds, Path corpus, long seed) throws IOException, InterruptedException {
        Path found = Files.createDirectories(folder.resolve("found"));
        Path seeds = seeds();
        int status =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx512m",
                                "-XX:+UseParallelGC",
                                "-Djdk.attach.allowAttachSelf=true",
                                "-D" + HostileInputFuzz.SEEDS + "=" + seeds,
                                "-cp",
                                classPath(),
                                "com.code_intelligence.jazzer.Jazzer",
                                "--target_class=" + HostileInputFuzz.class.getName(),
                                "--target_args=" + target.label(),
                                "--instrumentation_includes=" + OURS,
                                "--custom_hook_includes=" + OURS,
                                "--reproducer_path=" + folder,
                                "-artifact_prefix=" + found + "/",
                                "-max_total_time=" + seconds,
                                "-timeout=" + MOST_SECONDS,
                                "-report_slow_units=" + MOST_SECONDS,
                                NO_RESIDENT_LIMIT,
                                "-seed=" + seed,
                                corpus.toString(),
                                seeds.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start()
                        .waitFor();
        String said = Files.readString(log, ISO_8859_1);
        List<Path> findings = keep(found);
        if (!findings.isEmpty()) {
            throw new AssertionError("%s fails on %s:%n%s".formatted(target, findings, end(said)));
        }
        Matcher done = DONE.matcher(said);
        Matcher covered = COVERED.matcher(said);
        if (status != 0 || !done.find() || !covered.find()) {
            throw new AssertionError("Jazzer ended with status " + status + ":\n" + end(said));
        }
        if (Integer.parseInt(covered.group(1)) < 10) {
            throw new AssertionError("Jazzer does not see what code inputs reach:\n" + end(said));
        }
        return Long.parseLong(done.group(1));
    }

    private static String end(String said) {
        List<String> lines = said.lines().toList();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }

    /** Folders of classes and few jars: Jazzer scans all that is there when it starts. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith(".jar") || NEEDED.matcher(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Path seeds() throws IOException {
        Path seeds = Files.createDirectories(folder.resolve("seeds"));
        int number = 0;
        for (byte[] seed : HostileSeeds.of(target)) {
            Files.write(seeds.resolve("seed-" + number++), seed);
        }
        for (Path kept : target.kept()) {
            Files.copy(kept, seeds.resolve(kept.getFileName()));
        }
        return seeds;
    }

    /** Moves what was found to where every test run reads it. */
    private List<Path> keep(Path found) throws IOException {
        List<Path> inputs;
        try (Stream<Path> files = Files.list(found)) {
            inputs = files.sorted().toList();
        }
        for (Path input : inputs) {
            Path to = target.keptFolder().resolve(input.getFileName());
            Files.createDirectories(to.getParent());
            Files.move(input, to, StandardCopyOption.REPLACE_EXISTING);
        }
        return inputs.stream().map(f -> target.keptFolder().resolve(f.getFileName())).toList();
    }
}
