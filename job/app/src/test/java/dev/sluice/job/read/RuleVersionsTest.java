package dev.sluice.job.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.job.read.VerdictRow.RuleFacts;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleVersionsTest {
    private static Rule rule(long id, String action, int line) {
        Match match = new Match.Builder().build();
        return new Rule(id, 0, match, action, line, Place.NONE, "rule " + id + " " + action);
    }

    @Test
    void aLineInsertedAtTheTopMovesAllOthers() {
        RuleVersions versions = new RuleVersions();
        versions.replace(1, "drop", List.of(rule(5, "a", 1), rule(6, "b", 2)));
        versions.change(
                2,
                "drop",
                new RuleDelta(List.of(), List.of(rule(7, "c", 1)), List.of(new LineShift(1, 1))));
        versions.change(
                4, "none", new RuleDelta(List.of(5L), List.of(), List.of(new LineShift(3, -1))));
        assertEquals(new RuleFacts(1, 0, "a", "rule 5 a"), versions.facts(5, 1));
        assertEquals(2, versions.facts(5, 2).line());
        assertEquals(2, versions.facts(5, 3).line());
        assertEquals(RuleFacts.UNKNOWN, versions.facts(5, 4));
        assertEquals(2, versions.facts(6, 1).line());
        assertEquals(3, versions.facts(6, 2).line());
        assertEquals(2, versions.facts(6, 9).line());
        assertEquals(RuleFacts.UNKNOWN, versions.facts(7, 1));
        assertEquals(1, versions.facts(7, 2).line());
        assertEquals(
                List.of("", "drop", "drop", "none"),
                List.of(
                        versions.defaultAction(0),
                        versions.defaultAction(1),
                        versions.defaultAction(3),
                        versions.defaultAction(4)));
    }

    /** Against the whole file of each version. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyVersionOfARandomHistoryIsKnown(long seed) {
        Random random = TestSeed.random(seed);
        RuleVersions versions = new RuleVersions();
        TreeMap<Long, Map<Long, RuleFacts>> files = new TreeMap<>();
        List<Rule> file = new ArrayList<>();
        List<RuleSet> drawn = new ArrayList<>();
        DrawnStories.tell(() -> RuleStory.ofVersions("known-versions", seed, drawn, List.of()));
        long nextId = 1;
        for (long version = 1; version <= 60; version++) {
            int at = random.nextInt(file.size() + 1);
            List<Long> removes = new ArrayList<>();
            List<Rule> puts = new ArrayList<>();
            List<LineShift> moves = new ArrayList<>();
            if (file.size() > 3 && random.nextInt(3) == 0) {
                at = random.nextInt(file.size());
                removes.add(file.remove(at).id());
                moves.add(new LineShift(at + 2, -1));
            } else if (!file.isEmpty() && random.nextInt(3) == 0) {
                at = random.nextInt(file.size());
                file.set(at, rule(file.get(at).id(), "a" + version, at + 1));
                puts.add(file.get(at));
            } else {
                file.add(at, rule(nextId++, "a" + version, at + 1));
                puts.add(file.get(at));
                moves.add(new LineShift(at + 1, 1));
            }
            for (int i = 0; i < file.size(); i++) {
                file.set(i, file.get(i).onLine(i + 1));
            }
            drawn.add(RuleSet.inListOrder("s", version, RuleSet.DROP, file));
            if (random.nextInt(6) == 0) {
                versions.replace(version, "d" + version, file);
            } else {
                versions.change(version, "d" + version, new RuleDelta(removes, puts, moves));
            }
            Map<Long, RuleFacts> facts = new HashMap<>();
            for (Rule rule : file) {
                facts.put(rule.id(), new RuleFacts(rule.line(), 0, rule.action(), rule.text()));
            }
            files.put(version, facts);
        }
        for (int i = 0; i < 5_000; i++) {
            long version = 1 + random.nextInt(60);
            long id = 1 + random.nextLong(nextId);
            assertEquals(
                    files.get(version).getOrDefault(id, RuleFacts.UNKNOWN),
                    versions.facts(id, version),
                    "rule " + id + " in version " + version);
            assertEquals("d" + version, versions.defaultAction(version));
        }
    }
}
