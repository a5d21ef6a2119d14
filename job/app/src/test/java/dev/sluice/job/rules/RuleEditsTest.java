package dev.sluice.job.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.job.rules.RuleEdit.Side;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuleEditsTest {
    private static Rule rule(int priority, int port, String action) {
        return RuleText.parse(
                "priority=%d,tcp,tp_dst=%d,actions=%s".formatted(priority, port, action));
    }

    private static RuleSet set(List<Rule> rules) {
        return RuleSet.of("s", 1, RuleSet.DROP, rules);
    }

    private static List<String> texts(RuleContent content) {
        return content.rules().stream().map(Rule::text).toList();
    }

    private static RuleEdit.Name named(Rule rule) {
        return new RuleEdit.Name(String.valueOf(rule.id()), rule.id(), null);
    }

    @Test
    void aRuleGoesWhereItIsPut() {
        RuleContent content = new RuleContent(List.of());
        RuleEdits edits = new RuleEdits(content);
        Rule b = edits.apply(new RuleEdit.Add(rule(5, 2, "2"), Position.LAST));
        edits.apply(new RuleEdit.Add(rule(5, 4, "4"), Position.LAST));
        edits.apply(new RuleEdit.Add(rule(5, 1, "1"), new Position(Side.FIRST, null)));
        edits.apply(new RuleEdit.Add(rule(5, 3, "3"), new Position(Side.AFTER, named(b))));
        edits.apply(new RuleEdit.Add(rule(9, 9, "normal"), Position.LAST));
        edits.apply(new RuleEdit.Add(rule(5, 7, "5"), new Position(Side.BEFORE, named(b))));
        assertEquals(
                List.of("normal", "1", "5", "2", "3", "4"),
                content.rules().stream().map(Rule::action).toList());
        SluiceException other =
                assertThrows(
                        SluiceException.class,
                        () ->
                                edits.apply(
                                        new RuleEdit.Add(
                                                rule(4, 9, "6"),
                                                new Position(Side.BEFORE, named(b)))));
        assertTrue(other.getMessage().contains("has priority 5, the new one 4"));
    }

    @Test
    void editsThatUndoEachOtherComeToNothing() {
        RuleContent content = new RuleContent(set(List.of(rule(1, 1, "1").withId(1))).rules());
        RuleEdits edits = new RuleEdits(content);
        Rule added = edits.apply(new RuleEdit.Add(rule(1, 2, "2"), Position.LAST));
        edits.apply(new RuleEdit.Remove(named(added)));
        assertEquals(2, edits.count());
        assertTrue(edits.take().isEmpty());
        assertEquals(1, content.size());
        SluiceException gone =
                assertThrows(
                        SluiceException.class,
                        () -> edits.apply(new RuleEdit.Remove(named(added))));
        assertTrue(gone.getMessage().contains("no rule has the id or the line"));
    }

    @Test
    void ofEqualRulesEachHasItsIdAndTheLastIsNamedByItsText() {
        RuleContent content = new RuleContent(List.of());
        RuleEdits edits = new RuleEdits(content);
        Rule first = edits.apply(new RuleEdit.Add(rule(1, 1, "1"), Position.LAST));
        Rule second = edits.apply(new RuleEdit.Add(rule(1, 1, "1"), Position.LAST));
        assertEquals(2, content.size());
        RuleEdit.Name text = new RuleEdit.Name("text", 0, rule(1, 1, "1"));
        assertEquals(second.id(), edits.apply(new RuleEdit.Remove(text)).id());
        assertEquals(first.id(), edits.apply(new RuleEdit.Remove(text)).id());
    }

    @Test
    void aRuleKeepsItsLineOnlyWhileItsMatchAndPriorityStay() {
        RuleContent content =
                new RuleContent(set(List.of(rule(1, 1, "1").withId(7).onLine(3))).rules());
        RuleEdits edits = new RuleEdits(content);
        RuleEdit.Name line = new RuleEdit.Name("3", 3, null);
        Rule action = edits.apply(new RuleEdit.Change(line, rule(1, 1, "2")));
        assertEquals(List.of(7L, 3L), List.of(action.id(), (long) action.line()));
        Rule match = edits.apply(new RuleEdit.Change(line, rule(1, 2, "2")));
        assertEquals(List.of(7L, 0L), List.of(match.id(), (long) match.line()));
        assertThrows(
                SluiceException.class,
                () -> edits.apply(new RuleEdit.Change(line, rule(1, 3, "2"))));
        RuleContent other =
                new RuleContent(set(List.of(rule(1, 1, "1").withId(7).onLine(3))).rules());
        Rule priority = new RuleEdits(other).apply(new RuleEdit.Change(line, rule(2, 1, "1")));
        assertEquals(List.of(7L, 0L), List.of(priority.id(), (long) priority.line()));
        assertEquals(0, edits.take().inserts().get(0).line());
    }

    /** Versions one after the other; what lies between two is worked out and applied. */
    private static final class Followed implements Subject.Session {
        private final PlacedRules placed;
        private final RuleContent content;
        private RuleSet version;

        Followed(RuleSet rules) {
            placed = new PlacedRules(rules);
            version = placed.ruleSet("followed", 1);
            content = new RuleContent(version.rules());
        }

        @Override
        public void apply(RuleDelta delta) {
            placed.apply(delta);
            RuleSet next = placed.ruleSet("followed", version.version() + 1);
            content.apply(VersionDiff.between(version, next).delta());
            version = next;
        }

        @Override
        public long[] answers(List<int[]> headers) {
            RuleSet followed = set(content.rules());
            return headers.stream()
                    .mapToInt(header -> FirstMatch.classify(followed, header))
                    .mapToLong(at -> at < 0 ? RuleStory.NO_RULE : followed.rules().get(at).id())
                    .toArray();
        }
    }

    private static final Subject FOLLOWED =
            Subject.ofSessions("edited-rules", (rules, layout) -> new Followed(rules));

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreFollowedByTheirDeltas(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), FOLLOWED);
    }

    private static void tell(List<RuleSet> versions) {
        DrawnStories.tell(
                () ->
                        RuleStory.ofVersions(
                                "edits", TestSeed.base(), List.copyOf(versions), List.of()),
                FOLLOWED);
    }

    /** Deltas of random edits, applied in turn, come to what the editor has. */
    @Test
    void deltasCarryWhatWasEdited() {
        List<RuleSet> versions = new ArrayList<>();
        versions.add(set(List.of()));
        tell(versions);
        Random random = TestSeed.random(1);
        RuleContent edited = new RuleContent(List.of());
        RuleContent followed = new RuleContent(List.of());
        RuleEdits edits = new RuleEdits(edited);
        List<Rule> known = new ArrayList<>();
        for (int transaction = 0; transaction < 60; transaction++) {
            for (int i = random.nextInt(12); i >= 0; i--) {
                known.addAll(edited.rules());
                known.subList(0, Math.max(0, known.size() - 40)).clear();
                try {
                    edits.apply(randomEdit(random, known));
                } catch (SluiceException e) {
                    continue; // names a rule that is gone, or one of another priority
                }
            }
            RuleDelta delta = edits.take();
            versions.add(set(edited.rules()));
            followed.apply(delta);
            assertEquals(edited.rules(), followed.rules());
        }
        assertEquals(texts(edited), texts(followed));
        assertTrue(edited.size() > 0);
    }

    private static RuleEdit randomEdit(Random random, List<Rule> known) {
        Rule fresh = rule(random.nextInt(3), random.nextInt(6), "1" + random.nextInt(2));
        if (known.isEmpty() || random.nextInt(5) < 2) {
            Side side = known.isEmpty() ? Side.LAST : Side.values()[random.nextInt(4)];
            return new RuleEdit.Add(
                    fresh,
                    new Position(
                            side,
                            side == Side.FIRST || side == Side.LAST
                                    ? null
                                    : named(known.get(random.nextInt(known.size())))));
        }
        RuleEdit.Name old = named(known.get(random.nextInt(known.size())));
        return random.nextBoolean() ? new RuleEdit.Remove(old) : new RuleEdit.Change(old, fresh);
    }

    /** The way between two random versions leads exactly there, lines and places too. */
    @Test
    void theDeltaBetweenVersionsLeadsFromOneToTheOther() {
        Random random = TestSeed.random(2);
        List<RuleSet> versions = new ArrayList<>();
        tell(versions);
        for (int round = 0; round < 200; round++) {
            List<Rule> some = new ArrayList<>();
            for (int i = random.nextInt(12); i > 0; i--) {
                some.add(rule(random.nextInt(2), i, "1").withId(i).onLine(random.nextInt(20)));
            }
            RuleSet from = set(some);
            RuleContent content = new RuleContent(from.rules());
            RuleEdits edits = new RuleEdits(content);
            for (int i = random.nextInt(6); i > 0 && content.size() > 0; i--) {
                try {
                    edits.apply(randomEdit(random, List.of(content.rules().get(0))));
                } catch (SluiceException e) {
                    continue; // beside a rule of another priority
                }
            }
            List<Rule> changed = new ArrayList<>();
            int by = random.nextInt(3) - 1;
            for (Rule rule : content.rules()) {
                int line = rule.line() == 0 ? random.nextInt(2) : rule.line() + by;
                changed.add(rule.onLine(Math.max(0, line)));
            }
            RuleSet to = set(changed);
            versions.clear();
            versions.addAll(List.of(from, to));
            RuleContent moved = new RuleContent(from.rules());
            moved.apply(VersionDiff.between(from, to).delta());
            assertEquals(to.rules(), moved.rules(), "round " + round);
        }
    }
}
