package dev.sluice.operators.rules.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.Topic;
import dev.sluice.operators.rules.topic.TopicFollower;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleDiffTest {
    /** A line of a file: a port, an action, a priority; port 0 stands for a comment. */
    private record Line(int port, String action, int priority) {
        static final Line COMMENT = new Line(0, "", 0);

        Line(int port) {
            this(port, "allow", 0);
        }

        Line action(String other) {
            return new Line(port, other, priority);
        }

        Line priority(int other) {
            return new Line(port, action, other);
        }
    }

    private static List<Rule> file(List<Line> lines) {
        RuleIds ids = new RuleIds();
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            if (line.port != 0) {
                Match match =
                        new Match.Builder().field(Field.IPV4_DST, line.port * 0x9e3779b1).build();
                rules.add(
                        new Rule(
                                ids.next(match, line.action),
                                line.priority,
                                match,
                                line.action,
                                i + 1,
                                Place.NONE,
                                line.port + " " + line.action));
            }
        }
        return rules;
    }

    private static List<Line> ports(int count) {
        List<Line> lines = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            lines.add(new Line(i));
        }
        return lines;
    }

    /** Rules as they stand in a topic, which change by what a file says. */
    private static final class Standing {
        private final TopicFollower follower = new TopicFollower();
        private RuleSet rules;
        private RuleSet before;
        private List<Rule> asked;
        private RuleDelta delta = new RuleDelta(List.of(), List.of());

        Standing(List<Line> lines) throws Exception {
            asked = file(lines);
            rules = RuleSet.of("set", 1, "drop", asked);
            before = rules;
            for (byte[] message :
                    RuleSetMessages.snapshot(Topic.beginSnapshot("h", 1), rules.rules())) {
                follower.accept(message, 0);
            }
        }

        /** Publishes a file, and checks that the rules are then what it says. */
        RuleDelta publish(List<Line> lines) throws Exception {
            publishRules(file(lines));
            return delta;
        }

        /** As {@link #publish}. */
        void publishRules(List<Rule> wanted) throws Exception {
            before = rules;
            asked = wanted;
            delta = RuleDiff.between(rules, wanted);
            long version = rules.version();
            for (byte[] message : Topic.delta("h", version + 1, version, delta)) {
                Version made = follower.accept(message, RuleTransaction.NO_TIME);
                assertTrue(made == null || made.delta().equals(delta));
            }
            Map<Long, Rule> known = new HashMap<>();
            rules.rules().forEach(rule -> known.put(rule.id(), rule));
            rules = follower.book().ruleSet();
            assertEquals(version + 1, rules.version());
            RuleSet ordered = RuleSet.of("set", version + 1, "drop", wanted);
            assertEquals(ordered.size(), rules.size());
            Set<Long> ids = new HashSet<>();
            for (int i = 0; i < ordered.size(); i++) {
                Rule is = rules.rules().get(i);
                Rule should = ordered.rules().get(i);
                assertEquals(should.withId(is.id()).at(is.place()), is);
                assertTrue(ids.add(is.id()), "two rules with one id");
                Rule was = known.get(is.id());
                assertTrue(was == null || was.match().equals(is.match()), "an id of another rule");
            }
            assertTrue(RuleDiff.between(rules, wanted).isEmpty(), "it is not settled");
        }

        /** The last publication: the rules before it, and those that the file says. */
        RuleStory story() {
            RuleSet wanted = RuleSet.of("set", 2, "drop", asked);
            List<RuleSet> versions = new ArrayList<>();
            for (RuleSet version : List.of(before, wanted)) {
                List<Rule> inOrder = new ArrayList<>();
                for (Rule rule : version.rules()) { // in one priority, where places are free
                    inOrder.add(
                            new Rule(
                                    rule.id(),
                                    version.size() - inOrder.size(),
                                    rule.match(),
                                    rule.action(),
                                    0));
                }
                versions.add(RuleSet.of("set", 1, "drop", inOrder));
            }
            List<int[]> headers = new ArrayList<>();
            for (Rule rule : wanted.rules()) {
                int[] header = new int[HeaderWord.COUNT];
                header[HeaderWord.IPV4_DST] = rule.match().value(HeaderWord.IPV4_DST);
                headers.add(header);
            }
            return RuleStory.ofVersions("files", TestSeed.base(), versions, headers);
        }
    }

    /** A story whose rules stand in files, in their order; the difference of two is published. */
    private static final class Files implements Subject.Session {
        private final PlacedRules placed;
        private final Standing standing;

        Files(RuleSet rules) throws Exception {
            placed = new PlacedRules(rules);
            standing = new Standing(List.of());
            publish();
        }

        private void publish() throws Exception {
            List<Rule> file = new ArrayList<>();
            for (Rule rule : placed.ruleSet("file", 1).rules()) {
                file.add(rule.at(Place.NONE).onLine(file.size() + 1));
            }
            standing.publishRules(file);
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            placed.apply(delta);
            publish();
        }

        /** The ids are the files', which may be others than the topic's. */
        @Override
        public long[] answers(List<int[]> headers) {
            RuleSet file = placed.ruleSet("file", 1);
            return headers.stream()
                    .mapToInt(header -> FirstMatch.classify(standing.rules, header))
                    .mapToLong(at -> at < 0 ? RuleStory.NO_RULE : file.rules().get(at).id())
                    .toArray();
        }
    }

    private static final Subject FILES =
            Subject.ofSessions("files-of-rules", (rules, layout) -> new Files(rules));

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreWhatTheirFilesSay(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), FILES);
    }

    private static void assertSize(RuleDelta delta, int removes, int puts, int shifts) {
        assertEquals(
                List.of(removes, puts, shifts),
                List.of(delta.removes().size(), delta.inserts().size(), delta.shifts().size()),
                "removes, puts, shifts");
    }

    @Test
    void anUnchangedFileChangesNothing() {
        List<Line> lines = ports(50);
        RuleSet rules = RuleSet.of("s", 1, "drop", file(lines));
        assertTrue(RuleDiff.between(rules, file(lines)).isEmpty());
    }

    /** The issue's own case: under 1 KB, and lines are right after it. */
    @Test
    void aLineAtTheTopOfALongFileIsOneRuleAndOneShift() throws Exception {
        List<Line> lines = ports(100_000);
        Standing standing = new Standing(lines);
        lines.add(0, new Line(100_001));
        RuleDelta delta = standing.publish(lines);
        assertSize(delta, 0, 1, 1);
        assertEquals(List.of(new LineShift(1, 1)), delta.shifts());
        int bytes = 0;
        for (byte[] message :
                RuleSetMessages.delta(
                        RuleChange.begin(
                                "0f8fad5b-d9cb-469f-a165-70867728950e",
                                "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                                2,
                                1L,
                                1_700_000_000_000_000_000L,
                                Kind.DELTA,
                                "a/path/of/some/length/rules.txt",
                                "drop"),
                        delta)) {
            bytes += message.length;
        }
        assertTrue(bytes < 1000, bytes + " bytes");
        assertEquals(100_001, standing.rules.rules().get(100_000).line());
    }

    @Test
    void linesInTheMiddleAndAtTheEnd() throws Exception {
        List<Line> lines = ports(1000);
        Standing standing = new Standing(lines);
        lines.add(500, new Line(2000));
        assertSize(standing.publish(lines), 0, 1, 1);
        lines.add(new Line(2001));
        assertSize(standing.publish(lines), 0, 1, 0);
        lines.remove(20);
        assertSize(standing.publish(lines), 1, 0, 1);
        lines.add(300, Line.COMMENT);
        assertSize(standing.publish(lines), 0, 0, 1);
        lines.set(7, new Line(2002));
        assertSize(standing.publish(lines), 1, 1, 0);
    }

    @Test
    void aLineThatMovesIsOneRule() throws Exception {
        List<Line> lines = ports(1000);
        Standing standing = new Standing(lines);
        long id = standing.rules.rules().get(900).id();
        lines.add(100, lines.remove(900));
        RuleDelta delta = standing.publish(lines);
        assertSize(delta, 0, 1, 2);
        assertEquals(id, delta.inserts().get(0).id());
    }

    @Test
    void anActionThatChangesLeavesTheRuleItsIdAndPlace() throws Exception {
        List<Line> lines = ports(1000);
        Standing standing = new Standing(lines);
        Rule was = standing.rules.rules().get(17);
        for (String action : List.of("deny", "log", "allow")) {
            lines.set(17, lines.get(17).action(action));
            RuleDelta delta = standing.publish(lines);
            assertSize(delta, 0, 1, 0);
            assertEquals(was.id(), delta.inserts().get(0).id());
            assertEquals(was.place(), delta.inserts().get(0).place());
        }
    }

    @Test
    void anActionThatChangedAndARuleThatComesWithTheOldOneAreTwoRules() throws Exception {
        List<Line> lines = ports(10);
        Standing standing = new Standing(lines);
        long id = standing.rules.rules().get(4).id();
        lines.set(4, lines.get(4).action("deny"));
        standing.publish(lines);
        lines.add(new Line(5));
        RuleDelta delta = standing.publish(lines);
        assertSize(delta, 0, 1, 0);
        assertTrue(id != delta.inserts().get(0).id());
    }

    @Test
    void aPriorityThatChangesLeavesTheRuleItsId() throws Exception {
        List<Line> lines = ports(100);
        Standing standing = new Standing(lines);
        long id = standing.rules.rules().get(50).id();
        lines.set(50, lines.get(50).priority(9));
        RuleDelta delta = standing.publish(lines);
        assertSize(delta, 0, 1, 0);
        assertEquals(id, delta.inserts().get(0).id());
        assertEquals(id, standing.rules.rules().get(0).id());
    }

    @Test
    void ofEqualRulesTheOneBesideItsNeighboursStays() throws Exception {
        List<Line> lines = ports(100);
        for (int at : new int[] {10, 40, 70}) {
            lines.add(at, new Line(7777));
        }
        for (int at : new int[] {10, 40, 70}) {
            List<Line> fewer = new ArrayList<>(lines);
            fewer.remove(at);
            Standing standing = new Standing(lines);
            long gone = standing.rules.rules().get(at).id();
            RuleDelta delta = standing.publish(fewer);
            assertSize(delta, 1, 0, 1);
            assertEquals(List.of(gone), delta.removes());
            assertSize(standing.publish(lines), 0, 1, 1);
        }
    }

    @Test
    void linesOfOtherPrioritiesMayComeInAnyOrder() throws Exception {
        List<Line> lines = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            lines.add(new Line(i).priority(i));
        }
        Standing standing = new Standing(lines);
        Collections.reverse(lines);
        RuleDelta delta = standing.publish(lines);
        assertSize(delta, 0, 0, 300);
        lines.add(0, new Line(301).priority(20));
        lines.add(new Line(302).priority(20));
        assertSize(standing.publish(lines), 0, 2, 1);
    }

    @Test
    void everythingGoesAndComesBack() throws Exception {
        List<Line> lines = ports(100);
        Standing standing = new Standing(lines);
        assertSize(standing.publish(List.of()), 100, 0, 0);
        assertSize(standing.publish(lines), 0, 100, 0);
    }

    @Test
    void everythingInAnotherOrderIsRightAtLeast() throws Exception {
        List<Line> lines = ports(2000);
        Standing standing = new Standing(lines);
        Collections.reverse(lines);
        assertEquals(1999, standing.publish(lines).inserts().size());
        DrawnStories.tell(standing::story, FILES);
        Random random = new Random(TestSeed.of(1));
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(lines, random);
            standing.publish(lines);
        }
        int longest =
                standing.rules.rules().stream().mapToInt(r -> r.place().length()).max().orElse(0);
        assertTrue(longest < 64, longest + " bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 9})
    void whateverIsEditedTheRulesAreWhatTheFileSays(int seed) throws Exception {
        Random random = new Random(TestSeed.of(seed));
        int priorities = seed % 2 == 0 ? 1 : 1 + random.nextInt(6);
        int kinds = 5 + random.nextInt(200); // few kinds: many rules are equal
        List<Line> lines = new ArrayList<>();
        Standing standing = new Standing(lines);
        DrawnStories.tell(standing::story, FILES);
        for (int step = 0; step < 120; step++) {
            int edits = random.nextInt(6) == 0 ? 30 : 1 + random.nextInt(3);
            for (int e = 0; e < edits; e++) {
                edit(lines, random, kinds, priorities);
            }
            standing.publish(lines);
        }
    }

    private static Line line(Random random, int kinds, int priorities) {
        return random.nextInt(8) == 0
                ? Line.COMMENT
                : new Line(
                        1 + random.nextInt(kinds),
                        "a" + random.nextInt(3),
                        random.nextInt(priorities));
    }

    private static void edit(List<Line> lines, Random random, int kinds, int priorities) {
        int size = lines.size();
        int kind = size < 3 ? 0 : random.nextInt(9);
        int at = random.nextInt(size + 1);
        if (kind < 3) {
            for (int n = 1 + random.nextInt(random.nextInt(5) == 0 ? 20 : 1); n > 0; n--) {
                lines.add(at, line(random, kinds, priorities));
            }
        } else if (kind < 5) {
            lines.remove(Math.min(at, size - 1));
        } else if (kind == 5) {
            int from = random.nextInt(size);
            List<Line> block = lines.subList(from, Math.min(size, from + 1 + random.nextInt(10)));
            List<Line> moved = new ArrayList<>(block);
            block.clear();
            lines.addAll(random.nextInt(lines.size() + 1), moved);
        } else if (kind == 6) {
            int which = Math.min(at, size - 1);
            lines.set(which, lines.get(which).action("a" + random.nextInt(3)));
        } else if (kind == 7) {
            int which = Math.min(at, size - 1);
            lines.set(which, lines.get(which).priority(random.nextInt(priorities)));
        } else {
            Collections.swap(lines, random.nextInt(size), random.nextInt(size));
        }
    }
}
