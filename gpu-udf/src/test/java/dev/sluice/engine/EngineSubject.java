package dev.sluice.engine;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RuleHistory;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;

/**
 * Rules that change through the front door. The story's rules, whose priorities and ages say which
 * comes first, become rules of one priority whose places say the same, so that new rules come
 * anywhere. Versions of before are kept for a while and asked again: they must answer as they did.
 */
public final class EngineSubject {
    private static final int KEPT = 6;

    /** The background is awaited after so many deltas. */
    private static final int DELTAS_A_WAIT = 7;

    private EngineSubject() {}

    /** With a new base after every few changes. */
    public static Subject of(String label, EngineOptions options) {
        return of(label, options, new RenewalBounds(6, 1_000_000, 1, 1));
    }

    static Subject of(EngineOptions options, RenewalBounds bounds) {
        return of(options.algorithm().label(), options, bounds);
    }

    private static Subject of(String form, EngineOptions options, RenewalBounds bounds) {
        String label = form + "-engine-" + bounds.changes();
        return new Subject() {
            @Override
            public String label() {
                return label;
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                return new EngineSession(rules, options, bounds);
            }

            @Override
            public String toString() {
                return label;
            }
        };
    }

    private record Kept(RuleSetVersion version, long[] answers) {}

    private static final class EngineSession implements Subject.Session {
        private final Engine engine;
        private final RuleHistory history;
        private final Map<Long, Rule> placed = new HashMap<>();
        private final Deque<Kept> kept = new ArrayDeque<>();
        private long number = 1;

        EngineSession(RuleSet rules, EngineOptions options, RenewalBounds bounds) {
            history = new RuleHistory(rules.rules());
            List<Place> places = Place.spread(rules.size());
            List<Rule> first = new ArrayList<>();
            for (int i = 0; i < rules.size(); i++) {
                first.add(inOnePriority(rules.rules().get(i), places.get(i)));
            }
            engine =
                    Engine.open(
                            RuleSet.of(rules.name(), number, rules.defaultAction(), first),
                            options,
                            bounds);
        }

        private Rule inOnePriority(Rule rule, Place place) {
            Rule moved =
                    new Rule(
                            rule.id(),
                            3,
                            rule.match(),
                            rule.action(),
                            rule.line(),
                            place,
                            rule.text());
            placed.put(rule.id(), moved);
            return moved;
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            history.apply(delta);
            delta.removes().forEach(placed::remove);
            List<Rule> ordered = history.ruleSet().rules();
            List<Rule> inserts = new ArrayList<>();
            for (int i = 0; i < ordered.size(); i++) {
                Rule rule = ordered.get(i);
                if (!placed.containsKey(rule.id())) {
                    Place before = i == 0 ? null : placed.get(ordered.get(i - 1).id()).place();
                    Place behind = null;
                    for (int k = i + 1; k < ordered.size() && behind == null; k++) {
                        Rule next = placed.get(ordered.get(k).id());
                        behind = next == null ? null : next.place();
                    }
                    inserts.add(inOnePriority(rule, Place.between(before, behind)));
                }
            }
            // What is removed and comes again under its id is a change of the rule.
            List<Long> removes = new ArrayList<>(delta.removes());
            removes.removeIf(placed::containsKey);
            engine.apply(++number, new RuleDelta(removes, inserts)).close();
            Assertions.assertEquals(ordered.size(), engine.current().size(), "number of rules");
            if (number % DELTAS_A_WAIT == 0) {
                settle();
            }
        }

        @Override
        public void settle() throws Exception {
            engine.awaitBackground();
            Assertions.assertNull(engine.renewalFailure(), "no new base");
            List<Rule> expected = new ArrayList<>();
            history.ruleSet().rules().forEach(rule -> expected.add(placed.get(rule.id())));
            try (RuleSetVersion version = engine.acquire()) {
                Assertions.assertEquals(expected, version.rules().rules());
                Assertions.assertEquals(number, version.number());
            }
        }

        @Override
        public long[] answers(List<int[]> headers) {
            RuleSetVersion version = engine.acquire();
            long[] answers = answers(version, headers);
            for (Kept before : kept) {
                Assertions.assertTrue(
                        before.answers.length != headers.size()
                                || Arrays.equals(before.answers, answers(before.version, headers)),
                        () -> "version " + before.version.number() + " answers otherwise now");
            }
            kept.add(new Kept(version, answers));
            if (kept.size() > KEPT) {
                kept.remove().version.close();
            }
            return answers;
        }

        private long[] answers(RuleSetVersion version, List<int[]> headers) {
            HeaderBatch batch = new HeaderBatch(version.layout(), headers.size() + 2);
            headers.forEach(batch::add);
            VerdictBatch verdicts = new VerdictBatch(headers.size());
            engine.submit(version, batch, verdicts).await();
            long[] ids = new long[headers.size()];
            for (int i = 0; i < ids.length; i++) {
                int verdict = verdicts.rule(i);
                ids[i] = verdict == VerdictBatch.MISS ? RuleStory.NO_RULE : version.ruleId(verdict);
            }
            return ids;
        }

        @Override
        public void close() {
            kept.forEach(one -> one.version.close());
            engine.close();
        }
    }
}
