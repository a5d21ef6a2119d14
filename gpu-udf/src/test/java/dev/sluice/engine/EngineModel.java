package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The rules of an engine's versions, told the simple way: their places, lines and what they say.
 * Not thread-safe.
 */
final class EngineModel {
    final List<Rule> rules;

    /** The rules at first, and after every delta. */
    final List<RuleSet> versions = new ArrayList<>();

    EngineModel(List<Rule> rules) {
        this.rules = new ArrayList<>(rules);
        versions.add(set(1));
    }

    RuleSet set(long version) {
        return RuleSet.of("numbered", version, RuleSet.DROP, rules);
    }

    void apply(RuleDelta delta) {
        Set<Long> gone = new HashSet<>(delta.removes());
        delta.inserts().forEach(rule -> gone.add(rule.id()));
        rules.removeIf(rule -> gone.contains(rule.id()));
        rules.replaceAll(r -> r.onLine(LineShift.shifted(delta.shifts(), r.line())));
        rules.addAll(delta.inserts());
        versions.add(set(versions.size() + 1));
    }

    /** Some rules go, come, move, change places, or say something else; lines move. */
    RuleDelta change(Random random, long nextId) {
        List<Rule> ordered = set(1).rules();
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        Set<Long> touched = new HashSet<>();
        Set<Place> taken = new HashSet<>();
        ordered.forEach(rule -> taken.add(rule.place()));
        for (int c = random.nextInt(4); c >= 0; c--) {
            int at = random.nextInt(ordered.size());
            Rule rule = ordered.get(at);
            Place behind = at + 1 < ordered.size() ? ordered.get(at + 1).place() : null;
            Place free = Place.between(rule.place(), behind);
            Rule other = ordered.get(random.nextInt(ordered.size()));
            int line = 1 + random.nextInt(90);
            switch (random.nextInt(5)) {
                case 0 -> {
                    if (ordered.size() > 20 && touched.add(rule.id())) {
                        removes.add(rule.id());
                    }
                }
                case 1 -> {
                    if (taken.add(free)) {
                        inserts.add(rule(nextId + c, free, random.nextInt(16), line));
                    }
                }
                case 2 -> {
                    if (touched.add(rule.id())) {
                        String action = "action " + random.nextInt(9);
                        inserts.add(
                                new Rule(
                                        rule.id(),
                                        0,
                                        rule.match(),
                                        action,
                                        line,
                                        rule.place(),
                                        "other"));
                    }
                }
                case 3 -> {
                    if (taken.add(free) && touched.add(rule.id())) {
                        inserts.add(rule.at(free).onLine(line));
                    }
                }
                default -> {
                    boolean both = rule.id() != other.id() && !touched.contains(other.id());
                    if (both && touched.add(rule.id())) {
                        touched.add(other.id());
                        inserts.add(rule.at(other.place()));
                        inserts.add(other.at(rule.place()));
                    }
                }
            }
        }
        List<LineShift> shifts = new ArrayList<>();
        int from = 0;
        for (int s = random.nextInt(3); s > 0; s--) {
            from += 1 + random.nextInt(40);
            shifts.add(new LineShift(from, random.nextInt(5)));
        }
        return new RuleDelta(removes, inserts, shifts);
    }

    static Rule rule(long id, Place place, int low, int line) {
        Match match = new Match.Builder().field(Field.IPV4_DST, low << 24, 0xff000000).build();
        return new Rule(id, 0, match, "permit", line, place, "line " + line);
    }

    /** Rules on lines 1 to n, with room between their places. */
    static RuleSet numbered(int n) {
        List<Place> places = Place.spread(n);
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            rules.add(rule(i + 1, places.get(i), i % 16, i + 1));
        }
        return RuleSet.of("numbered", 1, RuleSet.DROP, rules);
    }

    /** A header for each network that rules name, and one for none. */
    static List<int[]> everyNetwork() {
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            int[] header = new int[HeaderWord.COUNT];
            header[Field.IPV4_DST.word()] = i << 24 | i;
            headers.add(header);
        }
        return headers;
    }

    static void assertVersion(Engine engine, RuleSetVersion version, RuleSet rules) {
        assertEquals(rules.rules(), version.rules().rules());
        assertEquals(rules.version(), version.version());
        assertEquals(rules.size(), version.size());
        HeaderBatch batch = version.newBatch(17);
        List<int[]> asked = everyNetwork();
        asked.forEach(batch::add);
        VerdictBatch verdicts = new VerdictBatch(17);
        version.submit(batch, verdicts).await();
        for (int i = 0; i < 17; i++) {
            int expected = FirstMatch.classify(rules, asked.get(i));
            int verdict = verdicts.rule(i);
            if (expected == VerdictBatch.MISS) {
                assertEquals(VerdictBatch.MISS, verdict);
            } else {
                Rule rule = rules.rules().get(expected);
                assertTrue(verdict < version.slots(), "verdict " + verdict);
                assertEquals(rule, version.rule(verdict));
                assertEquals(rule.id(), version.ruleId(verdict));
                assertEquals(rule.line(), version.rule(verdict).line());
            }
        }
    }
}
