package dev.sluice.lab.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jazzer finds no input that makes a reader of strangers' bytes fail: in the usual run one reader
 * for a short time, in the long run each of them, or as long as {@code ./sluice test --fuzz} says.
 */
class FuzzedReadersTest {
    /** Which reader; none: a short time, from the seeds of the tests and of this run. */
    private static final String WHICH = System.getProperty("sluice.test.fuzz", "");

    private static final int SECONDS = Integer.getInteger("sluice.test.fuzz.seconds", 2);

    /** What reached new code, kept for the next time if the user asked for this one. */
    private static final Path CORPORA = Path.of(".fuzz-corpus");

    @TempDir private static Path folder;

    private static boolean isAsked(HostileTarget target) {
        return WHICH.isEmpty() || WHICH.equals("all") || WHICH.equals(target.label());
    }

    private static long run(HostileTarget target) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve(target.label()));
        Path corpus = (WHICH.isEmpty() ? own : CORPORA).resolve("corpus-" + target.label());
        long seed = WHICH.isEmpty() ? 1 + TestSeed.of(4200 + target.ordinal()) % 1_000_000 : 0;
        return new FuzzProcess(target, own).run(SECONDS, Files.createDirectories(corpus), seed);
    }

    private static void assertFindsNothing(HostileTarget target, long inputs) {
        assertTrue(inputs > 0, () -> "no input was tried on " + target.label());
        System.out.printf("%s: %,d inputs in %d s%n", target.label(), inputs, SECONDS);
    }

    @Test
    void jazzerFindsNothingInOneReader() throws Exception {
        List<HostileTarget> all = List.of(HostileTarget.values());
        HostileTarget target = all.get(TestSeed.random(4200).nextInt(all.size()));
        assertFindsNothing(target, run(target));
    }

    /** As many readers at once as there are cores. */
    @Tag("long")
    @Test
    void jazzerFindsNothingInAnyReader() throws Exception {
        ExecutorService cores =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        Map<HostileTarget, Future<Long>> tried = new EnumMap<>(HostileTarget.class);
        try {
            for (HostileTarget target : HostileTarget.values()) {
                if (isAsked(target)) {
                    tried.put(target, cores.submit(() -> run(target)));
                }
            }
            for (Map.Entry<HostileTarget, Future<Long>> one : tried.entrySet()) {
                assertFindsNothing(one.getKey(), one.getValue().get());
            }
        } finally {
            cores.shutdownNow();
        }
    }
}
