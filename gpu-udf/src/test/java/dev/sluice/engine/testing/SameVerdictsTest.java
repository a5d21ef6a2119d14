package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The comparison finds what is wrong, makes it small, and keeps it so that it can be run again. */
class SameVerdictsTest {
    private static final Subject RIGHT =
            Subject.of("right", rules -> headers -> search(rules, headers, Match::matches));

    private static final Subject IGNORES_DESTINATION_PORT =
            Subject.of(
                    "ignores-destination-port",
                    rules ->
                            headers ->
                                    search(
                                            rules,
                                            headers,
                                            SameVerdictsTest::matchesButDestinationPort));

    @TempDir private Path folder;

    private interface Matching {
        boolean test(Match match, int[] header);
    }

    private static int[] search(RuleSet rules, List<int[]> headers, Matching matching) {
        int[] positions = new int[headers.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = VerdictBatch.MISS;
            for (int r = 0; r < rules.size() && positions[i] < 0; r++) {
                if (matching.test(rules.rules().get(r).match(), headers.get(i))) {
                    positions[i] = r;
                }
            }
        }
        return positions;
    }

    private static boolean matchesButDestinationPort(Match match, int[] header) {
        int[] other = header.clone();
        int mask = match.mask(HeaderWord.PORTS) & 0xffff;
        int port =
                match.dstPorts() == Match.ANY_PORT
                        ? match.value(HeaderWord.PORTS) & mask
                        : match.dstPorts() >>> 16;
        other[HeaderWord.PORTS] = other[HeaderWord.PORTS] & 0xffff0000 | port;
        return match.matches(other);
    }

    private RuleStory onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size(), all.toString());
            return StoryFile.read(all.get(0));
        }
    }

    private AssertionError fails(RuleStory story, Subject subject) {
        return assertThrows(
                AssertionError.class,
                () -> SameVerdicts.assertSameVerdicts(story, subject, folder));
    }

    @Test
    void aWrongLookUpIsShrunkToOneRuleAndOneHeader() throws Exception {
        RuleStory story = RuleStory.random(TestSeed.of(1), Shape.IPV4_5_TUPLE, 120, 10, 200);
        AssertionError failure = fails(story, IGNORES_DESTINATION_PORT);
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("./sluice test --story " + folder), message);
        assertTrue(message.contains("(seed " + story.seed() + ")"), message);

        RuleStory smallest = onlyFile();
        assertEquals(1, smallest.rules().size(), message);
        assertEquals(1, smallest.headers().size(), message);
        assertEquals(0, smallest.updates().size(), message);
        Match match = smallest.rules().get(0).match();
        // A range of a story's file also asks for ports, in the word of IP fields.
        long named = match.without(HeaderWord.IP).usedWords();
        assertEquals(HeaderWord.bit(HeaderWord.PORTS), named, message);

        // Its file fails again, and passes once the look-up is right.
        fails(smallest, IGNORES_DESTINATION_PORT);
        assertEquals(Optional.empty(), SameVerdicts.assertSameVerdicts(smallest, RIGHT, folder));
        SameVerdicts.assertServed(story, RIGHT);
    }

    /** Removals are lost. */
    private static final Subject FORGETS_REMOVALS =
            new Subject() {
                @Override
                public String label() {
                    return "forgets-removals";
                }

                @Override
                public Session open(RuleSet rules, HeaderLayout layout) throws Exception {
                    Session session = RIGHT.open(rules, layout);
                    return new Session() {
                        @Override
                        public void apply(RuleDelta delta) throws Exception {
                            session.apply(new RuleDelta(List.of(), delta.inserts()));
                        }

                        @Override
                        public long[] answers(List<int[]> headers) throws Exception {
                            return session.answers(headers);
                        }
                    };
                }
            };

    @Test
    void aLostRemovalIsShrunkToTheRuleAndItsRemoval() throws Exception {
        RuleStory story = RuleStory.random(TestSeed.of(2), Shape.MIXED, 60, 30, 300);
        AssertionError failure = fails(story, FORGETS_REMOVALS);
        RuleStory smallest = onlyFile();
        assertEquals(1, smallest.headers().size(), failure::getMessage);
        assertEquals(1, smallest.updates().size(), failure::getMessage);
        RuleDelta delta = smallest.updates().get(0);
        assertEquals(1, delta.removes().size(), failure::getMessage);
        assertEquals(0, delta.inserts().size(), failure::getMessage);
        assertEquals(1, smallest.rules().size(), failure::getMessage);
        assertEquals(0, smallest.rules().get(0).match().usedWords(), failure::getMessage);
    }

    @Test
    void aLookUpThatThrowsIsKeptToo() throws Exception {
        Subject throwing =
                Subject.of(
                        "throwing",
                        rules -> {
                            if (rules.size() > 3) {
                                throw new IllegalStateException("more than three");
                            }
                            return headers -> search(rules, headers, Match::matches);
                        });
        AssertionError failure =
                fails(RuleStory.random(TestSeed.of(3), Shape.OPENFLOW, 40, 0, 20), throwing);
        assertEquals("more than three", failure.getSuppressed()[0].getMessage());
        assertEquals(4, onlyFile().rules().size());
        assertEquals(1, onlyFile().headers().size());
    }

    @Test
    void aRefusalIsNoFailureAndNoAnswer() {
        Subject refusing =
                Subject.of(
                        "refusing",
                        rules -> {
                            throw new Subject.NotServed("not today");
                        });
        RuleStory story = RuleStory.random(TestSeed.of(4), Shape.MIXED, 3, 0, 5);
        assertEquals(
                Optional.of("not today"), SameVerdicts.assertSameVerdicts(story, refusing, folder));
        assertThrows(AssertionError.class, () -> SameVerdicts.assertServed(story, refusing));
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void aStoryIsReadAsItWasWritten(Shape shape) {
        RuleStory story = RuleStory.random(TestSeed.of(5), shape, 60, 12, 80);
        String text = StoryFile.text(story, "two\nlines");
        RuleStory read = StoryFile.parse("story", text.lines().toList());
        assertEquals(matches(story), matches(read));
        assertEquals(story.seed(), read.seed());
        for (int i = 0; i < 80; i++) {
            assertArrayEquals(story.headers().get(i), read.headers().get(i));
        }
        assertArrayEquals(story.expected(), read.expected());
        assertEquals(text, StoryFile.text(read, "two\nlines"));
    }

    @Test
    void versionsOfPlacedRulesTellTheStoryThatTheyWereMadeOf() {
        RuleStory story = RuleStory.random(TestSeed.of(7), Shape.MIXED, 60, 30, 200);
        PlacedRules placed = new PlacedRules(story.ruleSet());
        List<RuleSet> versions = new ArrayList<>(List.of(placed.ruleSet("placed", 1)));
        for (RuleDelta delta : story.updates()) {
            placed.apply(delta);
            versions.add(placed.ruleSet("placed", versions.size() + 1));
        }
        RuleStory again = RuleStory.ofVersions("placed", story.seed(), versions, story.headers());
        assertArrayEquals(story.expected(), again.expected());
        SameVerdicts.assertServed(again, RIGHT);
    }

    private static List<Object> matches(RuleStory story) {
        List<Object> all = new ArrayList<>();
        for (Rule rule : story.rules()) {
            all.add(List.of(rule.id(), rule.priority(), rule.match()));
        }
        for (RuleDelta delta : story.updates()) {
            all.add(delta.removes());
            for (Rule rule : delta.inserts()) {
                all.add(List.of(rule.id(), rule.priority(), rule.match()));
            }
        }
        return all;
    }

    @Test
    void aFileThatIsNoStorySaysWhere() {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () ->
                                        StoryFile.parse(
                                                "a.story",
                                                List.of("story x", "rule 1 priority 2 nw_srcs=1")))
                        .getMessage();
        assertEquals("a.story:2: there is no field 'nw_srcs'", message);
    }

    @Test
    void whatTheAuthorStatesIsHeldAgainstTheOracle() {
        List<String> lines =
                List.of(
                        "rule 7 priority 1 nw_proto=6",
                        "header nw_proto=6 -> 7",
                        "header nw_proto=17 -> none");
        StoryFile.parse("a", lines).assertStated();
        List<String> wrong = new ArrayList<>(lines);
        wrong.add("header -> 7");
        String message =
                assertThrows(AssertionError.class, () -> StoryFile.parse("a", wrong).assertStated())
                        .getMessage();
        assertEquals("a: header 2 matches none, the story says rule 7", message);
    }

    @Test
    void theOracleIsLinearSearch() {
        RuleStory story = RuleStory.random(TestSeed.of(6), Shape.MIXED, 80, 0, 200);
        int[] searched = search(story.ruleSet(), story.headers(), Match::matches);
        for (int i = 0; i < searched.length; i++) {
            assertEquals(FirstMatch.classify(story.ruleSet(), story.headers().get(i)), searched[i]);
        }
    }
}
