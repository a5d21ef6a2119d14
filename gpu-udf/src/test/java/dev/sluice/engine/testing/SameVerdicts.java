package dev.sluice.engine.testing;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The one comparison with the oracle. A story that fails is made smaller while it still fails,
 * written to a file, and the failure says how that file is run again.
 */
public final class SameVerdicts {
    /** Names the folder of stories that failed; {@code target/failures} if it is not set. */
    public static final String FOLDER_PROPERTY = "sluice.test.failures";

    /** Stories of at most so many lines stand in the failure's message. */
    private static final int SHOWN_LINES = 25;

    private static final Duration SHRINKING = Duration.ofSeconds(60);

    private SameVerdicts() {}

    /**
     * Holds a subject against the oracle: at first, after every update, and when all is settled.
     *
     * @return why the subject refused the rules; empty if it served them
     * @throws AssertionError if an answer differs, or if the look-up throws
     */
    public static Optional<String> assertSameVerdicts(RuleStory story, Subject subject) {
        return assertSameVerdicts(story, subject, folder());
    }

    /**
     * As {@link #assertSameVerdicts}, for stories that the subject must serve.
     *
     * @throws AssertionError also if it refuses the rules
     */
    public static void assertServed(RuleStory story, Subject subject) {
        Optional<String> refusal = assertSameVerdicts(story, subject);
        if (refusal.isPresent()) {
            throw new AssertionError(subject.label() + ", " + story + ": " + refusal.get());
        }
    }

    static Optional<String> assertSameVerdicts(RuleStory story, Subject subject, Path folder) {
        Outcome outcome = run(story, subject);
        if (outcome.wrong == null) {
            return Optional.ofNullable(outcome.refusal);
        }
        StoryShrinker shrinker =
                new StoryShrinker(candidate -> run(candidate, subject).wrong != null, SHRINKING);
        RuleStory smallest =
                subject.keepsItsRules()
                        ? shrinker.shrinkHeaders(story, outcome.header)
                        : shrinker.shrink(story, outcome.step, outcome.header);
        Outcome last = run(smallest, subject);
        String wrong = last.wrong == null ? outcome.wrong : last.wrong;
        String found =
                "%s gives a wrong answer on %s%nafter %s it is %s%n%s%n"
                        .formatted(
                                subject.label(),
                                story,
                                "dropping what it does not take",
                                smallest,
                                wrong);
        AssertionError error =
                new AssertionError(kept(folder, fileName(story, subject.label()), smallest, found));
        if (outcome.thrown != null) {
            error.addSuppressed(outcome.thrown);
        }
        throw error;
    }

    /**
     * Holds answers that were given already against the oracle.
     *
     * @param story without updates
     * @param positions for each header the position of its rule in the total order; more are left
     *     alone
     * @throws AssertionError if one differs; the story's rules and that header are kept
     */
    public static void assertPositions(RuleStory story, String label, int[] positions) {
        Map<int[], Integer> given = new IdentityHashMap<>();
        for (int i = 0; i < story.headers().size(); i++) {
            given.put(story.headers().get(i), positions[i]);
        }
        assertServed(
                story,
                Subject.ofItsOwnRules(
                        label, headers -> headers.stream().mapToInt(given::get).toArray()));
    }

    /** What a test does with a story. */
    public interface Trial {
        /** Does it. */
        void run() throws Exception;
    }

    /**
     * Keeps a story if a test of it fails: for tests of threads and faults, of which a smaller
     * story says nothing.
     *
     * @throws AssertionError as the test does, and says where the story is
     */
    public static void keepIfFails(RuleStory story, String label, Trial test) throws Exception {
        try {
            test.run();
        } catch (Exception | AssertionError e) {
            rethrowIfSkipped(e);
            String found = "%s fails on %s%n%s%n".formatted(label, story, e.getMessage());
            throw new AssertionError(keep(story, label, found), e);
        }
    }

    /**
     * Keeps a story as it is, of a test that fails.
     *
     * @return what was found, and where the story is
     */
    public static String keep(RuleStory story, String label, String found) {
        return kept(folder(), fileName(story, label), story, found);
    }

    /**
     * Fails unless something holds, as JUnit's assertions do: subjects run without JUnit, too.
     *
     * @param what is wrong otherwise
     */
    public static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** Skipped tests are known by a name, since subjects run without JUnit, too. */
    private static void rethrowIfSkipped(Throwable e) {
        if (e instanceof RuntimeException skipped
                && e.getClass().getName().equals("org.opentest4j.TestAbortedException")) {
            throw skipped;
        }
    }

    /** Writes a story; what was found, the story if it is short, and where it is. */
    private static String kept(Path folder, String fileName, RuleStory story, String found) {
        String text = StoryFile.text(story, found);
        Path file = folder.resolve(fileName).toAbsolutePath();
        String kept;
        try {
            StoryFile.write(file, story, found);
            kept = "kept in " + file + "; again: ./sluice test --story " + file;
        } catch (IOException e) {
            kept = "it could not be written to " + file + ": " + e;
        }
        return found + (text.lines().count() <= SHOWN_LINES ? text : "") + kept;
    }

    /** The folder of what failed. */
    public static Path folder() {
        return Path.of(System.getProperty(FOLDER_PROPERTY, "target/failures"));
    }

    private static String fileName(RuleStory story, String label) {
        String name = label + "-" + story.name() + "-" + story.seed();
        return name.replaceAll("[^A-Za-z0-9._]+", "-") + ".story";
    }

    /**
     * What became of a story.
     *
     * @param refusal why the rules were refused, or null
     * @param wrong what was wrong, or null
     * @param step after how many updates it was wrong
     * @param header position of the header that was wrong, -1 if there is none
     */
    private record Outcome(String refusal, String wrong, int step, int header, Throwable thrown) {}

    private static Outcome run(RuleStory story, Subject subject) {
        Subject.Answer right = subject.rightAnswer();
        long[][] expected = right == Subject.BEST_RULE ? story.expected() : story.expected(right);
        int step = 0;
        try (Subject.Session session = subject.open(story.ruleSet(), story.layout())) {
            Outcome first = compare(story.headers(), expected[0], session, 0);
            if (first != null) {
                return first;
            }
            for (step = 1; step < expected.length; step++) {
                session.apply(story.updates().get(step - 1));
                Outcome wrong = compare(story.headers(), expected[step], session, step);
                if (wrong != null) {
                    return wrong;
                }
            }
            step = expected.length - 1;
            session.settle();
            Outcome settled = compare(story.headers(), expected[step], session, step);
            return settled == null ? new Outcome(null, null, 0, 0, null) : settled;
        } catch (UnsupportedRulesException | MemoryBudgetException | Subject.NotServed e) {
            return new Outcome(String.valueOf(e.getMessage()), null, 0, 0, null);
        } catch (Exception | AssertionError e) {
            rethrowIfSkipped(e);
            return new Outcome(null, "after " + step + " updates: " + e, step, -1, e);
        }
    }

    private static Outcome compare(
            List<int[]> headers, long[] expected, Subject.Session session, int step)
            throws Exception {
        long[] answers = session.answers(headers);
        for (int i = 0; i < expected.length; i++) {
            if (answers[i] != expected[i]) {
                String wrong =
                        "after %d updates: %s, not %s, for%n%s"
                                .formatted(
                                        step,
                                        RuleStory.ruleName(answers[i]),
                                        RuleStory.ruleName(expected[i]),
                                        StoryFile.headerText(headers.get(i)));
                return new Outcome(null, wrong, step, i, null);
            }
        }
        return null;
    }
}
