package dev.sluice.job.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jazzer finds no input that makes a reader of strangers' bytes fail, in a short time each, or in
 * as long as {@code ./sluice test --fuzz} says. As many are at work at once as there are cores.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FuzzedReadersTest {
    /** Which reader; none: all, for a short time, from the seeds of the tests and of this run. */
    private static final String WHICH = System.getProperty("sluice.test.fuzz", "");

    private static final int SECONDS = Integer.getInteger("sluice.test.fuzz.seconds", 2);

    /** What reached new code, kept for the next time if the user asked for this one. */
    private static final Path CORPORA = Path.of(".fuzz-corpus");

    @TempDir private static Path folder;

    private final Map<HostileTarget, Future<Long>> tried = new EnumMap<>(HostileTarget.class);
    private ExecutorService cores;

    private static Stream<HostileTarget> asked() {
        return Stream.of(HostileTarget.values())
                .filter(
                        target ->
                                WHICH.isEmpty()
                                        || WHICH.equals("all")
                                        || WHICH.equals(target.label()));
    }

    @BeforeAll
    void begin() {
        cores = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        asked().forEach(target -> tried.put(target, cores.submit(() -> run(target))));
    }

    private static long run(HostileTarget target) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve(target.label()));
        Path corpus = (WHICH.isEmpty() ? own : CORPORA).resolve("corpus-" + target.label());
        long seed = WHICH.isEmpty() ? 1 + TestSeed.of(4200 + target.ordinal()) % 1_000_000 : 0;
        return new FuzzProcess(target, own).run(SECONDS, Files.createDirectories(corpus), seed);
    }

    @ParameterizedTest
    @MethodSource("asked")
    void jazzerFindsNothing(HostileTarget target) throws Exception {
        long inputs = tried.get(target).get();
        assertTrue(inputs > 0, "no input was tried");
        System.out.printf("%s: %,d inputs in %d s%n", target.label(), inputs, SECONDS);
    }

    @AfterAll
    void end() {
        cores.shutdownNow();
    }
}
