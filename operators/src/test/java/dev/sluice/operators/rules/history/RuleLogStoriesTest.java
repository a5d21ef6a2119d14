package dev.sluice.operators.rules.history;

import static dev.sluice.operators.rules.history.RuleLogs.again;
import static dev.sluice.operators.rules.history.RuleLogs.compact;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stories, kept and drawn, that a log tells the same wherever it is cut and restored. */
class RuleLogStoriesTest {
    private static final Subject RESTORED =
            Subject.ofSessions("restored-log", (rules, layout) -> new RestoredLog(rules));

    /** The versions that a topic had, as rules and updates. */
    private static RuleStory story(TopicStory told, long seed) {
        List<RuleSet> versions = new ArrayList<>();
        told.contents.stream().filter(Objects::nonNull).distinct().forEach(versions::add);
        List<int[]> headers = new ArrayList<>();
        for (int port = 0; port < 40; port++) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.PORTS] = port;
            header[Field.PORTS_PRESENT.word()] |= Field.PORTS_PRESENT.place(1);
            headers.add(header);
        }
        return RuleStory.ofVersions("log", seed, versions, headers);
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreInALogThatIsRestored(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), RESTORED);
    }

    /** Messages from a point up to another; what is refused for the first time is as told. */
    private static void follow(RuleLog log, TopicStory story, int from, int to, int known) {
        for (int i = from; i < to; i++) {
            boolean refused = false;
            try {
                log.accept(story.messages.get(i), RuleTransaction.NO_TIME);
            } catch (MalformedMessageException e) {
                refused = true;
            }
            if (i >= known) {
                assertEquals(story.refusals.get(i), refused, "message " + i);
                assertEquals(story.contents.get(i), log.book().ruleSet(), "message " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void whereverAHistoryIsCutTheRulesAreWhatItSays(int seed) throws Exception {
        TopicStory story = new TopicStory(TestSeed.of(seed));
        story.go(60);
        DrawnStories.tell(() -> story(story, TestSeed.of(seed)), RESTORED);
        int size = story.messages.size();
        RuleLog whole = new RuleLog();
        follow(whole, story, 0, size, 0);
        Random random = new Random(TestSeed.of(100 + seed));
        for (int run = 0; run < 60; run++) {
            RuleLog log = new RuleLog();
            int at = 0;
            while (at < size) {
                int next = Math.min(size, at + 1 + random.nextInt(40));
                follow(log, story, at, next, at);
                at = next;
                if (!log.book().isEmpty() && random.nextBoolean()) {
                    log.servable(log.book().history(), log.book().version());
                }
                if (random.nextInt(3) == 0) {
                    compact(log);
                }
                log = again(log);
                int back = random.nextBoolean() ? 0 : random.nextInt(at + 1);
                RuleSet before = log.book().ruleSet();
                boolean waits = log.book().waitsForSnapshot();
                follow(log, story, at - back, at, size);
                assertEquals(before, log.book().ruleSet(), "read again from " + (at - back));
                assertEquals(waits, log.book().waitsForSnapshot());
            }
        }
        assertNotNull(whole.book().ruleSet());
        assertFalse(story.refusals.stream().noneMatch(r -> r), "nothing was refused");
    }
}
