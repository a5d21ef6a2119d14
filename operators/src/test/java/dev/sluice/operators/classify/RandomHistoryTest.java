package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.testing.FewerThings;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs live through random histories: transactions of every kind, packets, checkpoints, failures
 * and rescalings. A history that fails is made shorter and kept as a file of its steps.
 */
class RandomHistoryTest {
    private static final String PROPERTY = "sluice.test.history";
    private static final Path FOLDER = Path.of("src/test/resources/histories");
    private static final int HISTORIES = 6;
    private static final Duration SHRINKING = Duration.ofSeconds(60);

    /** What the job begins with: something is published, and it starts. */
    private static final int BEGINNING = 2;

    @Test
    @Timeout(600)
    void everyVisibleVerdictIsThatOfTheVersionItNames() {
        Set<String> reasons = new TreeSet<>();
        for (int number = 1; number <= HISTORIES; number++) {
            long seed = TestSeed.of(number);
            List<HistoryStep> steps = HistoryDraw.of(seed);
            try {
                reasons.addAll(HistoryJob.live(steps));
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(kept(steps, seed, failure), failure);
            }
        }
        // The histories held what they are about.
        assertTrue(
                reasons.containsAll(
                        List.of(
                                DeadLetterReason.RULES_NOT_SERVED.text(),
                                "rules: chunk missing",
                                "rules: unfinished transaction",
                                "rules: delta without its base")),
                reasons.toString());
    }

    /**
     * The histories that are kept for good, or the one that {@code ./sluice test --story} names.
     */
    static List<Path> keptHistories() throws IOException {
        String named = System.getProperty(PROPERTY, "");
        if (!named.isBlank()) {
            return List.of(Path.of(named));
        }
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    @Tag("history")
    @ParameterizedTest
    @MethodSource("keptHistories")
    @Timeout(60)
    void keptHistoriesAreLivedThrough(Path file) throws Exception {
        HistoryJob.live(HistoryStep.read(file));
    }

    @Test
    @Timeout(60)
    void whatIsRepeatedBehindAnUnfinishedTransactionDoesNotHideIt() throws Exception {
        Path file = FOLDER.resolve("repeated-behind-unfinished.history");
        assertEquals(
                Set.of("rules: unfinished transaction", "rules: delta without its base"),
                HistoryJob.live(HistoryStep.read(file)));
    }

    @Test
    void aHistoryIsReadAsItWasWritten(@TempDir Path folder) throws IOException {
        Path written = folder.resolve("written");
        Path again = folder.resolve("again");
        HistoryStep.write(written, HistoryDraw.of(TestSeed.of(7)), "notes");
        HistoryStep.write(again, HistoryStep.read(written), "notes");
        assertEquals(Files.readAllLines(written), Files.readAllLines(again));
        Files.writeString(written, "checkpoint\npublish delta\nremove one\n");
        String message =
                assertThrows(IllegalArgumentException.class, () -> HistoryStep.read(written))
                        .getMessage();
        assertTrue(message.startsWith(written + ":3: "), message);
    }

    /** Keeps a history that fails, first as it is, and then as short as it was made. */
    private static String kept(List<HistoryStep> steps, long seed, Throwable failure) {
        Path file = SameVerdicts.folder().resolve("history-" + seed + ".history").toAbsolutePath();
        String found =
                "a history of %d steps (seed %d) fails%n%s".formatted(steps.size(), seed, failure);
        try {
            HistoryStep.write(file, steps, found);
            List<HistoryStep> shorter = shorter(steps);
            found = "%s%nit was made %d steps".formatted(found, shorter.size());
            HistoryStep.write(file, shorter, found);
        } catch (IOException e) {
            return found + "; it could not be written to " + file + ": " + e;
        }
        return "%s%nkept in %s; again: ./sluice test --story %s".formatted(found, file, file);
    }

    private static List<HistoryStep> shorter(List<HistoryStep> steps) {
        long end = System.nanoTime() + SHRINKING.toNanos();
        BooleanSupplier timeIsLeft = () -> System.nanoTime() < end;
        List<HistoryStep> beginning = steps.subList(0, BEGINNING);
        Predicate<List<HistoryStep>> fails = rest -> fails(joined(beginning, rest));
        List<HistoryStep> rest =
                FewerThings.of(steps.subList(BEGINNING, steps.size()), fails, timeIsLeft);
        List<HistoryStep> best = joined(beginning, rest);
        for (int i = 0; i < best.size(); i++) {
            int at = i;
            List<HistoryStep> all = List.copyOf(best);
            Predicate<HistoryStep> stillFails = step -> fails(replaced(all, at, step));
            HistoryStep step = all.get(at);
            step = step.with(fewer(step.rules(), step::with, stillFails, timeIsLeft));
            step = step.removing(fewer(step.removes(), step::removing, stillFails, timeIsLeft));
            step = step.asking(fewer(step.headers(), step::asking, stillFails, timeIsLeft));
            best.set(at, step);
        }
        return best;
    }

    /** Of one of a step's lists, what is needed for a history to fail. */
    private static <T> List<T> fewer(
            List<T> list,
            Function<List<T>, HistoryStep> stepOf,
            Predicate<HistoryStep> fails,
            BooleanSupplier timeIsLeft) {
        return FewerThings.of(list, rest -> fails.test(stepOf.apply(rest)), timeIsLeft);
    }

    private static <T> List<T> joined(List<T> some, List<T> others) {
        return new ArrayList<>(Stream.concat(some.stream(), others.stream()).toList());
    }

    private static List<HistoryStep> replaced(List<HistoryStep> steps, int at, HistoryStep step) {
        List<HistoryStep> all = new ArrayList<>(steps);
        all.set(at, step);
        return all;
    }

    private static boolean fails(List<HistoryStep> steps) {
        try {
            HistoryJob.live(steps);
            return false;
        } catch (Exception | AssertionError e) {
            return true;
        }
    }
}
